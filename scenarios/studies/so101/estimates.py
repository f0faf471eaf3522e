"""Couples the estimators of `ekf` with the arm's adaptive controller."""

from __future__ import annotations

import math

from ekf.payload.affine_calibration import AffineCalibration
from ekf.payload.moving_payload import MovingPayload
from ekf.payload.servo_torque import ServoTorque
from ekf.payload.template_rls import TemplateRLS
from ekf.signals.samples import JointSample
from wbmpc.arm.description import Arm
from wbmpc.arm.servo_arm import ServoMeasurement
from wbmpc.plant.interface import Measurement


class MotionMass:
    """Least squares on the commanded torques while the arm moves."""

    def __init__(self, arm: Arm) -> None:
        """Build the estimator of the settings."""
        rls, template = arm.settings.rls, arm.settings.payload.template_kg
        self.estimator = TemplateRLS(
            arm.model,
            arm.loaded_model(template),
            template,
            rls.forgetting,
            initial_variance=rls.initial_variance,
            largest_kg=rls.largest_kg,
            excitation=rls.excitation,
        )

    @property
    def raw_mass_kg(self) -> float:
        """Before projection."""
        return self.estimator.raw_mass_kg

    @property
    def mass_kg(self) -> float:
        """After projection."""
        return self.estimator.mass_kg

    def reset(self) -> None:
        """Forget everything."""
        self.estimator.reset()

    def observe(self, now: Measurement) -> None:
        """Learn from the period that ended."""
        sample = JointSample(time_s=now.time_s, q=now.q, v=now.v, tau=now.tau_Nm)
        self.estimator.learn_one(sample)


class ServoMass:
    """Filtered regressors and a calibrated servo: works while the arm moves."""

    def __init__(self, arm: Arm, servo: ServoTorque) -> None:
        """Build the estimator for servos that were calibrated on the empty arm."""
        self.estimator = moving_payload(arm, servo)

    @property
    def raw_mass_kg(self) -> float:
        """Before projection."""
        return self.estimator.raw_mass_kg

    @property
    def mass_kg(self) -> float:
        """After projection."""
        return self.estimator.mass_kg

    def reset(self) -> None:
        """Forget everything."""
        self.estimator.reset()

    def observe(self, now: Measurement) -> None:
        """Learn from the period that ended."""
        assert isinstance(now, ServoMeasurement)
        self.estimator.push(now.time_s, now.q, now.v, now.goal_rad)


class FrozenMass:
    """A mass that was found at rest, calibrated before it is projected."""

    def __init__(
        self,
        arm: Arm,
        raw_mass_kg: float,
        calibration: AffineCalibration | None = None,
    ) -> None:
        """Freeze a raw reading.

        Args:
            arm: For the largest mass that is compensated.
            raw_mass_kg: The reading.
            calibration: Applied to it first; None takes it as it is.
        """
        self.raw_mass_kg = raw_mass_kg
        mass = raw_mass_kg if calibration is None else calibration.mass_kg(raw_mass_kg)
        largest = arm.settings.rls.largest_kg
        self.mass_kg = min(max(mass, 0.0), largest) if math.isfinite(mass) else 0.0

    def reset(self) -> None:
        """It stays what it is."""

    def observe(self, now: Measurement) -> None:
        """There is nothing to learn."""
        del now


def moving_payload(arm: Arm, servo: ServoTorque) -> MovingPayload:
    """The moving estimator with the arm's template."""
    template = arm.settings.payload.template_kg
    return MovingPayload(
        arm.model,
        arm.loaded_model(template),
        template,
        servo,
        sigma=servo.sigma,
        largest_kg=arm.settings.rls.largest_kg,
    )
