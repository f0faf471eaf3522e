"""Plants: what takes joint torques and returns measurements."""

from wbmpc.plant.gate import GateReport, check_models
from wbmpc.plant.interface import ContactTruth, Measurement, Payload, Plant
from wbmpc.plant.mock import MockPlant
from wbmpc.plant.mujoco_plant import MujocoPlant

__all__ = [
    "ContactTruth",
    "GateReport",
    "Measurement",
    "MockPlant",
    "MujocoPlant",
    "Payload",
    "Plant",
    "check_models",
]
