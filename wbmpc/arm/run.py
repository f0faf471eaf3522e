"""The loop: one plant, one controller, one reference, one log."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.arrays import Array
from wbmpc.arm.controller import ArmController
from wbmpc.arm.interface import ArmPlant, JointReference
from wbmpc.arm.reference import JointPath


@dataclass(frozen=True, kw_only=True)
class ArmLog:
    """One run, T periods of n joints. State and torque belong to a period's start.

    Attributes:
        time_s: (T,) starts of the periods.
        q: (T, n) angles as the controller saw them.
        v: (T, n) velocities.
        q_wanted: (T, n) angles of the reference.
        tau_Nm: (T, n) torques asked for.
        raw_mass_kg: (T,) estimate before projection; NaN if nothing is estimated.
        q_end: (n,) angles after the last period.
        fault: Why the run ended early; None if it did not.
    """

    time_s: Array
    q: Array
    v: Array
    q_wanted: Array
    tau_Nm: Array
    raw_mass_kg: Array
    q_end: Array
    fault: str | None


def run_arm(
    plant: ArmPlant,
    controller: ArmController,
    path: JointPath,
    *,
    start: Array,
    duration_s: float,
) -> ArmLog:
    """Follow a path for some time; a fault of the plant ends the run early.

    Args:
        plant: Is reset first.
        controller: Is reset first.
        path: The reference, from time zero.
        start: (n,) configuration to start from at rest.
        duration_s: Length of the run, a whole number of periods.
    """
    controller.reset()
    now = plant.reset(start)
    rows: list[tuple[float, Array, Array, JointReference, Array, float]] = []
    for index in range(round(duration_s / plant.dt_s)):
        time_s = index * plant.dt_s
        wanted = path.at(time_s)
        tau = controller.torque(now, wanted)
        mass = controller.raw_mass_kg
        raw = np.nan if mass is None else mass
        rows.append((time_s, now.q, now.v, wanted, tau, raw))
        now = plant.step(tau, wanted.q)
        if plant.fault is not None:
            break
    return ArmLog(
        time_s=np.array([row[0] for row in rows]),
        q=np.array([row[1] for row in rows]),
        v=np.array([row[2] for row in rows]),
        q_wanted=np.array([row[3].q for row in rows]),
        tau_Nm=np.array([row[4] for row in rows]),
        raw_mass_kg=np.array([row[5] for row in rows]),
        q_end=now.q,
        fault=plant.fault,
    )
