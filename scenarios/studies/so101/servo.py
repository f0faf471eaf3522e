"""The arm on servos: causes one by one, weighing at rest, estimating in motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np

from ekf.payload.affine_calibration import AffineFit, fit_affine
from ekf.payload.servo_torque import ServoTorque
from models.arrays import Array
from models.so101 import load_so101
from scenarios.studies.so101.bench import GateFigures, PlantChange, pass_gate
from scenarios.studies.so101.estimates import FrozenMass, MotionMass, ServoMass
from scenarios.studies.so101.holding import StaticScale
from scenarios.studies.so101.moving import Recorder, ServoLog, calibrate_servos, designs
from scenarios.studies.so101.task import (
    Controllers,
    end_effector_miss_m,
    joint_rms_rad,
    last_raw_mass_kg,
    run_task,
    settled_errors,
    target,
)
from wbmpc.arm.controller import ArmController
from wbmpc.arm.description import Arm, check_payload_mass
from wbmpc.arm.run import ArmLog
from wbmpc.arm.servo_arm import ServoArm
from wbmpc.arm.servo_faults import NO_FAULTS, ServoFaults, only

Progress = Callable[[str], None]

CALIBRATION_KG = (0.0, 0.090, 0.181, 0.273)
"""Weights the scale is calibrated with, those of the published campaign."""
MOVED_JOINTS = 4
"""Errors are pooled over the joints before the wrist's roll, as published."""

PD, EMPTY, MOTION_RLS = "PD", "CT, empty model", "CT, motion RLS"
STATIC_RAW, STATIC_CALIBRATED = "CT, static raw", "CT, static calibrated"
MOVING = "CT, moving estimator"


class CauseRow(msgspec.Struct, frozen=True, kw_only=True):
    """Estimate of the motion RLS under one difference between motors and servos."""

    cause: str
    raw_mass_kg: dict[str, float]
    """Estimate at the end by payload in kg, before projection."""
    mass_kg: dict[str, float]
    """After projection."""


class TrackingRow(msgspec.Struct, frozen=True, kw_only=True):
    """One controller on the servos with one payload."""

    payload_kg: float
    controller: str
    rms_rad: float
    """Settled, pooled over the joints before the wrist's roll."""
    arm_rms_rad: float
    """Mean over the arm's joints, as in the bench."""
    ee_miss_m: float
    raw_mass_kg: float | None
    mass_kg: float | None
    """Mass compensated at the end."""


class ScaleFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The arm as a scale."""

    torque_constant_Nm_per_A: float
    raw_kg: dict[str, float]
    """Reading by true mass in kg."""
    slope: float
    offset_kg: float
    rmse_kg: float
    standard_error_kg: float | None
    r_squared: float


class DesignRow(msgspec.Struct, frozen=True, kw_only=True):
    """One design of an estimator on the same logs."""

    design: str
    raw_mass_kg: dict[str, float]
    """Estimate at the end by payload in kg."""
    rms_error_kg: float | None
    """Root mean square error over the twins; None without twins."""
    worst_error_kg: float | None


class ServoFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Servos as calibrated on the empty arm, joint by joint."""

    joints: list[str]
    stiffness_Nm_per_rad: list[float]
    true_stiffness_Nm_per_rad: list[float]
    coulomb_Nm: list[float]
    viscous_Nms_per_rad: list[float]


class SensitivityRow(msgspec.Struct, frozen=True, kw_only=True):
    """The moving estimator after one thing changed since its calibration."""

    change: str
    error_kg: float
    """Of the estimate at the end of the task, with the heaviest payload."""


class ArmServoResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `wbmpc so101 servo` measures."""

    gate: GateFigures
    causes: list[CauseRow]
    scale: ScaleFigures
    servos: ServoFigures
    tracking: list[TrackingRow]
    designs: list[DesignRow]
    sensitivity: list[SensitivityRow]
    twins: int
    faults: list[str]
    versions: dict[str, str | None]


@dataclass(kw_only=True)
class Shown:
    """Data of the figures.

    Attributes:
        logs: Runs by payload and controller.
        masses: Raw estimates (T,) by payload and design, along the run without
            estimator.
        time_s: (T,) times of those.
        fit: The calibration of the scale.
        readings: Raw reading by payload.
    """

    logs: dict[tuple[float, str], ArmLog] = field(default_factory=dict)
    masses: dict[tuple[float, str], Array] = field(default_factory=dict)
    time_s: Array = field(default_factory=lambda: np.zeros(0))
    fit: AffineFit | None = None


class ServoStudy:
    """Runs every part; each plant is passed by the gate first."""

    def __init__(self, payloads_kg: Sequence[float], seed: int, say: Progress) -> None:
        """Prepare.

        Args:
            payloads_kg: Masses in the jaws, besides none.
            seed: Of the noise of the currents.
            say: Called with a word before each part.

        Raises:
            PayloadError: An impossible mass.
            ModelMismatchError: The gate refuses the arm.
        """
        self.arm, self._seed, self._say = Arm.load(), seed, say
        masses = {check_payload_mass(mass) for mass in payloads_kg}
        self.payloads_kg = tuple(sorted(masses - {0.0}))
        self.gate = pass_gate(self.arm, [0.0, *self.payloads_kg], PlantChange())
        self.shown = Shown()
        self.faults: list[str] = []

    def causes(self) -> list[CauseRow]:
        """The motion RLS with each difference alone, and with all of them."""
        rows = []
        for name, (arm, faults) in _causes(self.arm).items():
            self._say(f"cause: {name}")
            raw = {}
            for mass in (0.0, *self.payloads_kg):
                plant = ServoArm(arm, payload_kg=mass, faults=faults)
                make = Controllers.of_motors(arm)
                if faults.position_bridge:
                    make = Controllers.of_servos(arm)
                log = self._run(arm, plant, make.adaptive(MotionMass(arm)), name)
                raw[f"{mass:g}"] = last_raw_mass_kg(log) or 0.0
            largest = arm.settings.rls.largest_kg
            clamped = {m: min(max(value, 0.0), largest) for m, value in raw.items()}
            rows.append(CauseRow(cause=name, raw_mass_kg=raw, mass_kg=clamped))
        return rows

    def weigh(self) -> tuple[ScaleFigures, dict[float, float]]:
        """Calibrate the scale, then weigh every payload (raw) by mass."""
        self._say("weighing at rest")
        scale = StaticScale(self.arm, target(self.arm))
        scale.tare(self._plant(0.0))
        known = {m: scale.raw_mass_kg(self._plant(m, 1)) for m in CALIBRATION_KG}
        fit = fit_affine(list(known), list(known.values()))
        self.shown.fit = fit
        figures = ScaleFigures(
            torque_constant_Nm_per_A=scale.torque_constant_Nm_per_A,
            raw_kg={f"{mass:g}": raw for mass, raw in known.items()},
            slope=fit.calibration.slope,
            offset_kg=fit.calibration.offset_kg,
            rmse_kg=fit.rmse_kg,
            standard_error_kg=fit.standard_error_kg,
            r_squared=fit.r_squared,
        )
        readings = {m: scale.raw_mass_kg(self._plant(m, 2)) for m in self.payloads_kg}
        return figures, readings

    def calibrate(self) -> tuple[ServoTorque, ServoFigures]:
        """Fit the servos on the empty arm."""
        self._say("calibrating the servos on the empty arm")
        servo = calibrate_servos(self.arm, self._plant(0.0))
        settings = self.arm.settings.servo
        true = np.array(settings.stiffness_Nm_per_rad) * settings.true_stiffness_ratio
        return servo, ServoFigures(
            joints=list(self.arm.joint_names),
            stiffness_Nm_per_rad=servo.stiffness.tolist(),
            true_stiffness_Nm_per_rad=true.tolist(),
            coulomb_Nm=servo.coulomb.tolist(),
            viscous_Nms_per_rad=servo.viscous.tolist(),
        )

    def track(
        self, servo: ServoTorque, readings: Mapping[float, float]
    ) -> list[TrackingRow]:
        """Every controller with every payload."""
        rows = []
        for mass in self.payloads_kg:
            self._say(f"tracking with {mass:g} kg")
            for name, controller in self._contenders(servo, readings[mass]).items():
                plant = self._plant(mass)
                log = self._run(self.arm, plant, controller, f"{name}, {mass:g} kg")
                self.shown.logs[mass, name] = log
                rows.append(_tracking_row(self.arm, mass, name, controller, log))
        return rows

    def compare_designs(self, servo: ServoTorque) -> dict[str, dict[str, float]]:
        """Raw mass at the end by design and payload, along runs without estimator."""
        self._say("designs of a moving estimator")
        found: dict[str, dict[str, float]] = {}
        for mass in (0.0, *self.payloads_kg):
            log = record_run(self.arm, self._plant(mass))
            self.shown.time_s = log.time_s
            for name, design in designs(self.arm, servo).items():
                masses = design(log)
                self.shown.masses[mass, name] = masses
                found.setdefault(name, {})[f"{mass:g}"] = float(masses[-1])
        return found

    def _contenders(self, servo: ServoTorque, raw: float) -> dict[str, ArmController]:
        make, arm = Controllers.of_servos(self.arm), self.arm
        assert self.shown.fit is not None
        calibration = self.shown.fit.calibration
        return {
            PD: make.joint_pd(),
            EMPTY: make.computed_torque(),
            MOTION_RLS: make.adaptive(MotionMass(arm)),
            STATIC_RAW: make.adaptive(FrozenMass(arm, raw)),
            STATIC_CALIBRATED: make.adaptive(FrozenMass(arm, raw, calibration)),
            MOVING: make.adaptive(ServoMass(arm, servo)),
        }

    def _plant(self, mass: float, draw: int = 0) -> ServoArm:
        seed = 1000 * draw + self._seed
        return ServoArm(self.arm, payload_kg=mass, seed=seed)

    def _run(
        self, arm: Arm, plant: ServoArm, controller: ArmController, what: str
    ) -> ArmLog:
        log = run_task(arm, plant, controller)
        if log.fault is not None:
            self.faults.append(f"{what}: {log.fault}")
        return log


def record_run(arm: Arm, plant: ServoArm) -> ServoLog:
    """The task under computed torque with the empty model, as the bus saw it."""
    recorder = Recorder(plant)
    run_task(arm, recorder, Controllers.of_servos(arm).computed_torque())
    return recorder.log()


def _tracking_row(
    arm: Arm, mass: float, name: str, controller: ArmController, log: ArmLog
) -> TrackingRow:
    pooled = settled_errors(arm, log)[:, :MOVED_JOINTS]
    estimate = getattr(controller, "estimate", None)
    return TrackingRow(
        payload_kg=mass,
        controller=name,
        rms_rad=float(np.sqrt(np.mean(pooled**2))) if len(pooled) else float("nan"),
        arm_rms_rad=float(np.mean(joint_rms_rad(arm, log))),
        ee_miss_m=end_effector_miss_m(arm, log),
        raw_mass_kg=last_raw_mass_kg(log),
        mass_kg=None if estimate is None else estimate.mass_kg,
    )


def _causes(arm: Arm) -> dict[str, tuple[Arm, ServoFaults]]:
    weightless = Arm(load_so101({"plant": {"armature_kgm2": 0.0}}))
    return {
        "none: torque motors": (arm, NO_FAULTS),
        "torque as a position offset": (arm, only("position_bridge")),
        "the same, stiffness not as believed": (
            arm,
            only("position_bridge", "stiffness"),
        ),
        "encoder counts, differenced": (arm, only("encoder")),
        "the same without rotor inertia": (weightless, only("encoder")),
        "gearbox friction": (arm, only("friction")),
        "time on the bus": (arm, only("bus_time")),
        "all of them": (arm, ServoFaults()),
    }
