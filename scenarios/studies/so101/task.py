"""The task every controller is measured on, and what is measured."""

from __future__ import annotations

import numpy as np

from models.arrays import Array
from models.so101.settings import ComputedTorqueSettings, JointPdSettings
from wbmpc.arm.adaptive import AdaptiveComputedTorque, MassEstimate
from wbmpc.arm.computed_torque import ComputedTorque
from wbmpc.arm.controller import ArmController
from wbmpc.arm.description import Arm
from wbmpc.arm.interface import ArmPlant
from wbmpc.arm.joint_pd import JointPd
from wbmpc.arm.reference import MinimumJerk
from wbmpc.arm.run import ArmLog, run_arm


class Controllers:
    """Controllers with the gains of one kind of plant."""

    def __init__(
        self, arm: Arm, joint_pd: JointPdSettings, torque: ComputedTorqueSettings
    ) -> None:
        """Keep the gains."""
        self._arm, self._joint_pd, self._torque = arm, joint_pd, torque

    @classmethod
    def of_motors(cls, arm: Arm) -> Controllers:
        """Gains for torque motors."""
        return cls(arm, arm.settings.joint_pd, arm.settings.computed_torque)

    @classmethod
    def of_servos(cls, arm: Arm) -> Controllers:
        """Gains for servos, whose own loop is underneath."""
        return cls(arm, arm.settings.servo.joint_pd, arm.settings.servo.computed_torque)

    def joint_pd(self) -> ArmController:
        """Without a model."""
        return JointPd(self._arm, self._joint_pd)

    def computed_torque(self, payload_kg: float = 0.0) -> ArmController:
        """With a model that believes in a payload."""
        return ComputedTorque(self._arm, self._torque, payload_kg=payload_kg)

    def adaptive(self, estimate: MassEstimate) -> ArmController:
        """With a model whose payload is estimated."""
        return AdaptiveComputedTorque(self._arm, self._torque, estimate)


def target(arm: Arm) -> Array:
    """(n,) where the task ends."""
    return np.array(arm.settings.task.target_rad)


def run_task(arm: Arm, plant: ArmPlant, controller: ArmController) -> ArmLog:
    """From zero to the target, then hold."""
    task, start = arm.settings.task, np.zeros(len(arm.joint_names))
    path = MinimumJerk(start, target(arm), task.move_s)
    return run_arm(plant, controller, path, start=start, duration_s=task.duration_s)


def settled_errors(arm: Arm, log: ArmLog) -> Array:
    """(T', arm joints) errors after the settling time [rad]."""
    late = log.time_s >= arm.settings.task.settled_s - 1e-9
    return (log.q - log.q_wanted)[late][:, arm.arm_joints]


def joint_rms_rad(arm: Arm, log: ArmLog) -> Array:
    """(arm joints,) root mean square of the settled errors; NaN if there are none."""
    errors = settled_errors(arm, log)
    if not len(errors):
        return np.full(errors.shape[1], np.nan)
    rms: Array = np.sqrt(np.mean(errors**2, axis=0))
    return rms


def end_effector_miss_m(arm: Arm, log: ArmLog) -> float:
    """Distance of the end effector from where the target puts it, at the end."""
    wanted = arm.tip_position_m(target(arm))
    return float(np.linalg.norm(arm.tip_position_m(log.q_end) - wanted))


def last_raw_mass_kg(log: ArmLog) -> float | None:
    """Estimate at the end before projection; None if nothing was estimated."""
    last = float(log.raw_mass_kg[-1])
    return last if np.isfinite(last) else None
