"""The task on servos at the end of a serial port."""

from __future__ import annotations

import contextlib
import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from scenarios.errors import ScenarioError
from scenarios.studies.so101.task import Controllers, joint_rms_rad, run_task
from wbmpc.arm.controller import ArmController
from wbmpc.arm.description import Arm, check_payload_mass
from wbmpc.arm.feetech.bus import TIMEOUT_S, FeetechBus
from wbmpc.arm.feetech.calibration import load_counts
from wbmpc.arm.feetech.hardware_arm import HardwareArm
from wbmpc.arm.feetech.joint_counts import JointCounts
from wbmpc.arm.feetech.simulated_bus import SimulatedBus
from wbmpc.arm.run import ArmLog
from wbmpc.realtime import realtime_process

SIMULATED, SIMULATED_TIMEOUT_S = "simulated", 0.5
PRIORITY = 80


@dataclass(frozen=True, kw_only=True)
class DriveTask:
    """The arm to drive, and how.

    Attributes:
        port: Serial port of the servo bus, or `SIMULATED`.
        controller: What computes the torques.
        payload_kg: What the model believes is in the jaws.
        calibration: LeRobot calibration file; only simulated servos do without.
        timeout_s: For the servos' answers in a period; None: what suits the port.
        home_s: Time to move from where the arm is to zero.
        release: Whether the torque is switched off at the end.
    """

    port: str
    controller: Literal["pd", "computed_torque"]
    payload_kg: float
    calibration: Path | None
    timeout_s: float | None
    home_s: float
    release: bool


class DriveResult(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of `wbmpc so101 drive`."""

    port: str
    controller: str
    periods: int
    joint_rms_rad: list[float | None]
    """Settled errors of the arm's joints; None if the run ended before."""
    bus_faults: dict[str, int]
    """How often what went wrong on the bus."""
    held_periods: int
    """Periods in which the last good command was kept."""
    late_periods: int
    complaint: str
    """Last complaint of a servo."""
    fault: str | None
    """Why control was given up."""
    refused: list[str]
    """Requests that the operating system did not grant."""


def drive(task: DriveTask) -> tuple[DriveResult, ArmLog]:
    """Home, then the task; the arm holds its last goal at the end and on faults.

    Raises:
        ModelsError: Bad input, a port that cannot be opened, a servo that does not
            answer or has another calibration.
    """
    arm = Arm.load()
    controller = _controller(arm, task)
    counts = _counts(arm, task)
    with _port(task, counts) as port, realtime_process(PRIORITY) as granted:
        bus = FeetechBus(port, timeout_s=_timeout_s(task))
        try:
            if counts is None:
                raise ScenarioError(
                    f"port {port}: --calibration is missing: only the calibration file "
                    "of this arm says where its joints are"
                )
            plant = HardwareArm(arm, bus, counts=counts, home_s=task.home_s)
            log = run_task(arm, plant, controller)
            if task.release and plant.fault is None:
                plant.release()
        finally:
            bus.close()
    rms = joint_rms_rad(arm, log)
    return DriveResult(
        port=port,
        controller=task.controller,
        periods=len(log.time_s),
        joint_rms_rad=[float(x) if np.isfinite(x) else None for x in rms],
        bus_faults={fault.value: count for fault, count in bus.counts.items()},
        held_periods=plant.held_periods,
        late_periods=plant.late_periods,
        complaint=plant.complaint,
        fault=plant.fault,
        refused=list(granted.refused),
    ), log


def drive_text(result: DriveResult) -> str:
    """A few lines."""
    errors = ", ".join("-" if x is None else f"{x:.4f}" for x in result.joint_rms_rad)
    faults = ", ".join(f"{n} x {name}" for name, n in result.bus_faults.items())
    return "\n".join(
        [
            f"{result.periods} periods of {result.controller} on {result.port}",
            f"settled RMS by joint [rad]: {errors}",
            f"bus faults: {faults or 'none'}; last good command kept in "
            f"{result.held_periods} periods; {result.late_periods} periods late",
            *([f"servos: {result.complaint}"] if result.complaint else []),
            *result.refused,
        ]
    )


def log_csv(log: ArmLog) -> str:
    """The log with the column names that `wbmpc estimate` reads."""
    text, size = io.StringIO(), log.q.shape[1]
    writer = csv.writer(text, lineterminator="\n")
    names = [f"{what}_{i}" for what in ("q", "qd", "tau") for i in range(size)]
    writer.writerow(["t", *names])
    for row in zip(log.time_s, log.q, log.v, log.tau_Nm, strict=True):
        writer.writerow([float(row[0]), *np.concatenate(row[1:]).tolist()])
    return text.getvalue()


def _controller(arm: Arm, task: DriveTask) -> ArmController:
    make = Controllers.of_servos(arm)
    payload = check_payload_mass(task.payload_kg)
    for name, value in (("timeout", _timeout_s(task)), ("home", task.home_s)):
        if not 0.0 < value < math.inf:
            raise ScenarioError(f"--{name} {value:g}: must be a finite number > 0")
    return make.joint_pd() if task.controller == "pd" else make.computed_torque(payload)


def _timeout_s(task: DriveTask) -> float:
    if task.timeout_s is not None:
        return task.timeout_s
    return SIMULATED_TIMEOUT_S if task.port == SIMULATED else TIMEOUT_S


def _counts(arm: Arm, task: DriveTask) -> JointCounts | None:
    """What the counts mean; None if nobody says so."""
    if task.calibration is not None:
        return load_counts(task.calibration, arm)
    simulated = task.port == SIMULATED
    return JointCounts.centred(arm.settings.servo.ids) if simulated else None


@contextlib.contextmanager
def _port(task: DriveTask, counts: JointCounts | None) -> Iterator[str]:
    if task.port != SIMULATED or counts is None:
        yield task.port
        return
    with SimulatedBus(counts.ids, joints=counts.joints) as bus:
        yield bus.port
