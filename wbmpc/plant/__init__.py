"""Plants: what takes joint torques and returns measurements."""

from wbmpc.plant.gate import GateReport, check_models
from wbmpc.plant.imperfections import HARDWARE_TWIN, ImperfectionSettings
from wbmpc.plant.interface import (
    ContactTruth,
    Measurement,
    Payload,
    Plant,
    SensorReadings,
)
from wbmpc.plant.mock import MockPlant
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.plant.twin_plant import TwinPlant

__all__ = [
    "HARDWARE_TWIN",
    "ContactTruth",
    "GateReport",
    "ImperfectionSettings",
    "Measurement",
    "MockPlant",
    "MujocoPlant",
    "Payload",
    "Plant",
    "SensorReadings",
    "TwinPlant",
    "check_models",
]
