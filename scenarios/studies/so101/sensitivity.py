"""The moving estimator when the arm is no longer the one that was calibrated."""

from __future__ import annotations

import numpy as np

from ekf.payload.servo_torque import ServoTorque
from models.so101 import So101Settings, load_so101
from scenarios.studies.so101.moving import OURS, designs
from scenarios.studies.so101.servo import SensitivityRow, record_run
from wbmpc.arm.description import Arm
from wbmpc.arm.servo_arm import ServoArm

OUTWARD_M = 0.02


def sensitivities(
    arm: Arm, servo: ServoTorque, payload_kg: float
) -> list[SensitivityRow]:
    """Errors with one payload, one change at a time.

    Args:
        arm: The arm as the estimator believes it to be.
        servo: Its calibrated servos.
        payload_kg: True mass in the jaws.
    """
    design = designs(arm, servo)[OURS]
    ratio = np.array(arm.settings.servo.true_stiffness_ratio)
    rows = []
    for change, (settings, scale) in _changes(arm.settings).items():
        plant = ServoArm(
            Arm(settings), payload_kg=payload_kg, stiffness_ratio=scale * ratio
        )
        mass = float(design(record_run(arm, plant))[-1])
        rows.append(SensitivityRow(change=change, error_kg=mass - payload_kg))
    return rows


def _changes(settings: So101Settings) -> dict[str, tuple[So101Settings, float]]:
    friction = settings.servo.gearbox_friction_Nm
    x, y, z = settings.payload.position_m
    return {
        "nothing": (settings, 1.0),
        "gearbox friction half": (_servo(gearbox_friction_Nm=0.5 * friction), 1.0),
        "gearbox friction 1.5 times": (_servo(gearbox_friction_Nm=1.5 * friction), 1.0),
        "servos 10 % softer": (settings, 0.9),
        "servos 10 % stiffer": (settings, 1.1),
        f"payload {1e3 * OUTWARD_M:g} mm further out": (
            load_so101({"payload": {"position_m": [x, y, z - OUTWARD_M]}}),
            1.0,
        ),
    }


def _servo(**changes: float) -> So101Settings:
    return load_so101({"servo": changes})
