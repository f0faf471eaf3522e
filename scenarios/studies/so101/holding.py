"""Weighing at rest: a pose is approached from both sides and the current read."""

from __future__ import annotations

import numpy as np

from ekf.payload.static_payload import HeldPose, fit_torque_constant, identify_static
from models.arrays import Array
from scenarios.errors import ScenarioError
from wbmpc.arm.description import Arm
from wbmpc.arm.interface import ArmPlant
from wbmpc.arm.reference import MinimumJerk
from wbmpc.arm.servo_arm import ServoMeasurement
from wbmpc.plant.interface import Measurement


class StaticScale:
    """The arm as a scale, with a torque constant from its own weight.

    The pose is the task's target: a constant that hides friction is that of a pose.
    """

    def __init__(self, arm: Arm, pose: Array) -> None:
        """Prepare for one pose (n,) [rad]."""
        self._arm, self._pose = arm, pose
        static = arm.settings.static
        self._joints = [arm.joint_names.index(name) for name in static.approach_joints]
        self.torque_constant_Nm_per_A = float("nan")

    def tare(self, empty: ArmPlant) -> None:
        """Fit the torque constant on the empty arm.

        Raises:
            InvalidSettingError: No current was read.
            ScenarioError: The plant stopped.
        """
        held = [hold_pose(self._arm, empty, self._pose)]
        constant = fit_torque_constant(self._arm.model, held, self._joints)
        self.torque_constant_Nm_per_A = constant

    def raw_mass_kg(self, plant: ArmPlant) -> float:
        """Weigh once; the plant is reset first.

        Raises:
            ScenarioError: The plant stopped.
        """
        template = self._arm.settings.payload.template_kg
        return identify_static(
            self._arm.model,
            self._arm.loaded_model(template),
            template,
            [hold_pose(self._arm, plant, self._pose)],
            range(self._arm.settings.arm_joints),
            torque_constant=self.torque_constant_Nm_per_A,
        )


def hold_pose(arm: Arm, plant: ArmPlant, pose: Array) -> HeldPose:
    """Approach a pose from above and below, and average currents at rest.

    Raises:
        ScenarioError: The plant stopped.
    """
    static, start = arm.settings.static, np.zeros(len(arm.joint_names))
    offset = np.zeros(len(start))
    offset[[arm.joint_names.index(name) for name in static.approach_joints]] = (
        static.approach_rad
    )
    plant.reset(start)
    sides = []
    for side in (1.0, -1.0):
        via = pose + side * offset
        _move(plant, start, via, static.move_s)
        _move(plant, via, pose, static.move_s)
        _hold(plant, pose, static.settle_s)
        sides.append(_average(arm, plant, pose))
        start = pose
    q = np.mean([angles for angles, _ in sides], axis=0)
    return HeldPose(q=q, from_above=sides[0][1], from_below=sides[1][1])


def _move(plant: ArmPlant, start: Array, end: Array, move_s: float) -> None:
    path = MinimumJerk(start, end, move_s)
    for index in range(round(move_s / plant.dt_s)):
        _tell(plant, path.at(index * plant.dt_s).q)


def _hold(plant: ArmPlant, pose: Array, hold_s: float) -> None:
    for _ in range(round(hold_s / plant.dt_s)):
        _tell(plant, pose)


def _average(arm: Arm, plant: ArmPlant, pose: Array) -> tuple[Array, Array]:
    """Mean angles (n,) and currents (n,) [A]."""
    static, readings = arm.settings.static, []
    for _ in range(static.samples):
        for _ in range(round(static.sample_s / plant.dt_s)):
            now = _tell(plant, pose)
        assert isinstance(now, ServoMeasurement)
        readings.append((now.q, now.current_A))
    angles, currents = (
        np.mean(values, axis=0) for values in zip(*readings, strict=True)
    )
    return angles, currents


def _tell(plant: ArmPlant, goal: Array) -> Measurement:
    """A position without any torque on top of it."""
    now = plant.step(np.zeros(len(goal)), goal)
    if plant.fault is not None:
        raise ScenarioError(f"weighing stopped: {plant.fault}")
    return now
