"""Motions with truth: a squat on both feet, driven by a stiff PD."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.plant.imperfections import ImperfectionSettings
from wbmpc.plant.interface import Measurement, SensorReadings
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.plant.twin_plant import TwinPlant
from wbmpc.robot import Robot


@dataclass(frozen=True, kw_only=True)
class Motion:
    """Truth and readings of one motion; the first entry is the start."""

    truth: list[Measurement]
    readings: list[SensorReadings]
    twin: TwinPlant


def record_squat(
    robot: Robot, settings: ImperfectionSettings, seconds: float
) -> Motion:
    """Truth and readings of a few seconds."""
    twin = TwinPlant(robot, MujocoPlant(robot), settings, seed=1)
    hold = holding_tau_Nm(robot)
    truth = [twin.reset(robot.home_q_full)]
    readings = [twin.readings]
    for step in range(round(1e3 * seconds)):
        target = _squat(robot, 1e-3 * step)
        now = truth[-1]
        pull = 800.0 * (target - now.q[7:]) - 20.0 * now.v[6:]
        truth.append(twin.step(hold + pull))
        readings.append(twin.readings)
    return Motion(truth=truth, readings=readings, twin=twin)


def _squat(robot: Robot, time_s: float) -> Array:
    """Knees 0.16 rad deeper and back once a second."""
    deep = 0.04 * (1.0 - np.cos(2 * np.pi * time_s))
    q = robot.home_q_full[7:].copy()
    steps = {"HIP_Y": -deep, "KNEE_Y": 2 * deep, "ANKLE_Y": -deep}
    for index, name in enumerate(robot.joint_names):
        q[index] += next((v for k, v in steps.items() if name.endswith(k)), 0.0)
    return q


def holding_tau_Nm(robot: Robot) -> Array:
    """Joint torques that hold the home pose, the weight shared by both feet."""
    model = robot.full_model
    data = model.createData()
    gravity = pin.computeGeneralizedGravity(model, data, robot.home_q_full).copy()
    pin.computeJointJacobians(model, data, robot.home_q_full)
    pin.updateFramePlacements(model, data)
    frames = [model.getFrameId(sole.frame) for sole in robot.soles]
    axes = pin.LOCAL_WORLD_ALIGNED
    jacobian = np.vstack([pin.getFrameJacobian(model, data, f, axes) for f in frames])
    wrenches = np.linalg.lstsq(jacobian[:, :6].T, gravity[:6], rcond=None)[0]
    tau: Array = (gravity - jacobian.T @ wrenches)[6:]
    return tau
