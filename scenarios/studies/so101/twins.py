"""Moving estimators on other arms: servos and gearboxes drawn at random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.arrays import Array
from models.so101 import load_so101
from scenarios.studies.so101.moving import calibrate_servos, designs
from scenarios.studies.so101.servo import record_run
from wbmpc.arm.description import Arm
from wbmpc.arm.servo_arm import ServoArm

STIFFNESS_SPREAD, FRICTION_SPREAD = 0.3, 1.0


def twin_errors_kg(
    payloads_kg: Sequence[float], twins: int, seed: int
) -> dict[str, Array]:
    """Errors (twins * payloads,) of every design at the end of the task, by design.

    Each twin has its own stiffness per joint (up to 30 % off) and its own friction (up
    to twice that of the settings), and is calibrated on its own empty arm.
    """
    rng = np.random.default_rng(seed)
    errors: dict[str, list[float]] = {}
    for _ in range(twins):
        arm, ratio = _draw(rng)
        servo = calibrate_servos(arm, ServoArm(arm, stiffness_ratio=ratio))
        for mass in payloads_kg:
            plant = ServoArm(arm, payload_kg=mass, stiffness_ratio=ratio)
            log = record_run(arm, plant)
            for name, design in designs(arm, servo).items():
                errors.setdefault(name, []).append(float(design(log)[-1]) - mass)
    return {name: np.array(values) for name, values in errors.items()}


def _draw(rng: np.random.Generator) -> tuple[Arm, Array]:
    nominal = load_so101().servo.gearbox_friction_Nm
    friction = nominal * (1.0 + FRICTION_SPREAD * rng.uniform(-1.0, 1.0))
    arm = Arm(load_so101({"servo": {"gearbox_friction_Nm": friction}}))
    ratio = 1.0 + STIFFNESS_SPREAD * rng.uniform(-1.0, 1.0, len(arm.joint_names))
    return arm, ratio
