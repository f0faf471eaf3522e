"""Three controllers on the torque plant, behind the gate."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from scenarios.errors import ScenarioError
from scenarios.studies.so101.estimates import MotionMass
from scenarios.studies.so101.task import (
    Controllers,
    end_effector_miss_m,
    joint_rms_rad,
    last_raw_mass_kg,
    run_task,
)
from wbmpc.arm.controller import ArmController
from wbmpc.arm.description import MAX_PAYLOAD_KG, Arm, check_payload_mass
from wbmpc.arm.gate import ArmGateReport, check_arm
from wbmpc.arm.mujoco_arm import MujocoArm
from wbmpc.arm.run import ArmLog

PD, COMPUTED_TORQUE, RLS = "PD", "computed torque", "CT + RLS"
NO_MODEL, EMPTY, UNLOADED, ESTIMATED, KNOWN = "-", "n/a", "no", "estimated", "yes"


class GateFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Largest differences of plant and model over all payloads of the bench."""

    gravity_Nm: float
    bias_Nm: float
    mass_matrix: float


class BenchRow(msgspec.Struct, frozen=True, kw_only=True):
    """One controller with one payload."""

    payload_kg: float
    controller: str
    model: str
    """Whether the model knows the payload; n/a if there is none."""
    arm_rms_rad: float
    """Mean over the arm's joints of their settled RMS errors."""
    ee_miss_m: float
    peak_torque_Nm: float
    raw_mass_kg: float | None
    """Estimate before projection."""


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """Share of the gap between not knowing the payload and knowing it."""

    payload_kg: float
    rms: float
    ee_miss: float


class ArmBenchResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `wbmpc so101 bench` measures."""

    gate: GateFigures
    rows: list[BenchRow]
    recovery: list[Recovery]
    faults: list[str]
    versions: dict[str, str | None]


@dataclass(frozen=True, kw_only=True)
class PlantChange:
    """A fault put into the plant on purpose, for the gate to find.

    Attributes:
        armature_kgm2: Its rotor inertia; None: that of the settings.
        extra_kg: Mass in its jaws that no model has.
    """

    armature_kgm2: float | None = None
    extra_kg: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what no plant can have.

        Raises:
            ScenarioError: A number is negative or not finite, or far too large.
        """
        if not 0.0 <= self.extra_kg <= MAX_PAYLOAD_KG:
            raise ScenarioError(
                f"--plant-extra {self.extra_kg:g}: must be within 0 and "
                f"{MAX_PAYLOAD_KG:g} kg"
            )
        armature = self.armature_kgm2
        if armature is not None and not 0.0 <= armature < math.inf:
            raise ScenarioError(
                f"--plant-armature {armature:g}: must be a finite number >= 0"
            )


Logs = dict[tuple[float, str, str], ArmLog]
"""By payload, controller and model."""


def run_bench(
    arm: Arm,
    payloads_kg: Sequence[float],
    change: PlantChange,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[GateFigures, Logs]:
    """Check every plant, then run every controller on it.

    Raises:
        PayloadError: An impossible mass.
        ModelMismatchError: The gate refuses a plant.
    """
    masses = [0.0, *sorted({check_payload_mass(m) for m in payloads_kg} - {0.0})]
    if masses[-1] + change.extra_kg > MAX_PAYLOAD_KG:
        raise ScenarioError(
            f"--payload {masses[-1]:g} and --plant-extra {change.extra_kg:g}: together "
            f"at most {MAX_PAYLOAD_KG:g} kg"
        )
    gate = pass_gate(arm, masses, change)
    logs: Logs = {}
    for mass in masses:
        progress(f"payload {mass:g} kg")
        for (controller, model), make in _contenders(arm, mass).items():
            plant = _plant(arm, mass, change)
            logs[mass, controller, model] = run_task(arm, plant, make)
    return gate, logs


def pass_gate(arm: Arm, masses_kg: Sequence[float], change: PlantChange) -> GateFigures:
    """Compare the plants of all payloads with the models that know them.

    Raises:
        ModelMismatchError: They differ.
    """
    worst = ArmGateReport(gravity_Nm=0.0, bias_Nm=0.0, mass_matrix=0.0)
    for mass in masses_kg:
        plant = _plant(arm, mass, change)
        worst = worst.worst(check_arm(arm, plant, arm.loaded_model(mass)))
    return GateFigures(
        gravity_Nm=worst.gravity_Nm,
        bias_Nm=worst.bias_Nm,
        mass_matrix=worst.mass_matrix,
    )


def bench_rows(arm: Arm, logs: Logs) -> list[BenchRow]:
    """The table."""
    return [
        BenchRow(
            payload_kg=payload,
            controller=controller,
            model=model,
            arm_rms_rad=float(np.mean(joint_rms_rad(arm, log))),
            ee_miss_m=end_effector_miss_m(arm, log),
            peak_torque_Nm=float(np.abs(log.tau_Nm).max()),
            raw_mass_kg=last_raw_mass_kg(log),
        )
        for (payload, controller, model), log in logs.items()
    ]


def recoveries(rows: Sequence[BenchRow]) -> list[Recovery]:
    """How much of the cost of not knowing the payload estimating recovers."""
    found = {(row.payload_kg, row.model): row for row in rows}
    return [
        Recovery(
            payload_kg=mass,
            rms=_share([found[mass, m].arm_rms_rad for m in _GAP]),
            ee_miss=_share([found[mass, m].ee_miss_m for m in _GAP]),
        )
        for mass in dict.fromkeys(row.payload_kg for row in rows)
        if all((mass, m) in found for m in _GAP)
    ]


_GAP = (UNLOADED, ESTIMATED, KNOWN)


def _share(values: Sequence[float]) -> float:
    unloaded, estimated, known = values
    return (unloaded - estimated) / (unloaded - known)


def _contenders(arm: Arm, mass: float) -> dict[tuple[str, str], ArmController]:
    make = Controllers.of_motors(arm)
    estimated = make.adaptive(MotionMass(arm))
    if mass == 0.0:
        return {
            (PD, NO_MODEL): make.joint_pd(),
            (COMPUTED_TORQUE, EMPTY): make.computed_torque(),
            (RLS, ESTIMATED): estimated,
        }
    return {
        (PD, NO_MODEL): make.joint_pd(),
        (COMPUTED_TORQUE, UNLOADED): make.computed_torque(),
        (RLS, ESTIMATED): estimated,
        (COMPUTED_TORQUE, KNOWN): make.computed_torque(mass),
    }


def _plant(arm: Arm, mass: float, change: PlantChange) -> MujocoArm:
    return MujocoArm(
        arm,
        payload_kg=mass + change.extra_kg,
        armature_kgm2=change.armature_kgm2,
    )
