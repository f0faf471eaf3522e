"""The 1 kHz side of a real-time run: plant and low level in a process of their own.

Python's global lock is held during a solve, so that a thread could not keep 1 kHz while
the MPC plans. A spawned process can; it shares nothing with the control process but the
newest snapshot one way and the newest plan the other way.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import pinocchio as pin

from ekf.signals.aligner import AlignedSample
from scenarios.run.adaptation import build_aligner
from scenarios.run.disturbances import Disturbances
from scenarios.run.outcome import why_ended
from scenarios.run.plant_side import PlantState, build_plant_side, known_friction
from scenarios.run.settings import RunSettings
from scenarios.run.snapshot import PlanCodec, Snapshot, SnapshotCodec
from wbmpc.control.low_level import JointCommand, LowLevelController, LowLevelMode
from wbmpc.plant.interface import Measurement
from wbmpc.realtime import (
    DeadlineClock,
    DeadlineMonitor,
    Privileges,
    Slot,
    now_ns,
    realtime_process,
)
from wbmpc.realtime.child_process import error_to_send
from wbmpc.robot import Robot

START_POLL_S = 1e-3


@dataclass(frozen=True, kw_only=True)
class PlantLinks:
    """The ties between both processes.

    Attributes:
        snapshots: Plant to control.
        plans: Control to plant.
        start_ns: Shared int64: common start, an instant of `now_ns`; 0 before.
        stop: Shared int64: not 0 once the plant shall end.
        results: `PlantReady`, then `PlantReport`; or what `error_to_send` made of one.
        parent: Process whose end is the plant's end.
        priority: Of SCHED_FIFO; None not to ask for it.
    """

    snapshots: Slot
    plans: Slot
    start_ns: Any
    stop: Any
    results: Connection
    parent: int
    priority: int | None


@dataclass(frozen=True, kw_only=True)
class PlantReady:
    """The plant is built, passed its gate and waits for the start.

    Attributes:
        true_model: The robot as it is in the plant; None where nobody knows.
    """

    true_model: pin.Model | None


@dataclass(frozen=True, kw_only=True)
class PlantReport:
    """The last words of the plant's process.

    Attributes:
        reason: How the run ended badly; None if it did not.
        events: (time, sentence) in order.
        faults: How often each named fault occurred.
        steps: Deadlines of the 1 kHz side.
        wall_s: Wall-clock time from the start to the last step.
        granted: What the system granted the process.
    """

    reason: str | None
    events: tuple[tuple[float, str], ...]
    faults: dict[str, int]
    steps: DeadlineMonitor
    wall_s: float
    granted: Privileges


def serve_plant(settings: RunSettings, links: PlantLinks) -> None:
    """Body of the spawned process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    try:
        process = PlantProcess(settings, links)
        # Locking memory takes a while: before the start is fixed, not after.
        with realtime_process(links.priority) as granted:
            links.results.send(PlantReady(true_model=process.true_model))
            process.wait_for_start()
            links.results.send(process.run(granted))
    except Exception as error:
        links.results.send(error_to_send(error))
    finally:
        links.results.close()


class PlantProcess:
    """Plant, base estimator, low level and signal alignment, step by step."""

    def __init__(self, settings: RunSettings, links: PlantLinks) -> None:
        """Build everything; the robot stands at home."""
        self._settings, self._links = settings, links
        self._robot = robot = Robot.load(settings.robot, settings.overrides)
        self._side = build_plant_side(settings, robot)
        truth = self._side.truth
        self.true_model = None if truth is None else truth.true_model
        self._disturbances = Disturbances(settings, robot)
        self._low_level = LowLevelController(robot, known_friction(settings, robot))
        self._aligner = build_aligner(robot) if settings.has_estimator else None
        self._sample: AlignedSample | None = None
        self._snapshots, self._plans = SnapshotCodec(robot), PlanCodec(robot)
        self._plan_number = self._plan_used_ns = 0
        self._plan_time_s = 0.0
        start = settings.start.frame().to_world(robot.home_q_full)
        self._state = self._side.reset(start)
        self._steps_s = 0.0
        self._reason: str | None = None
        self._events: list[tuple[float, str]] = []
        self._faults: Counter[str] = Counter()

    def wait_for_start(self) -> None:
        """Wait until the control process has set the common start."""
        while not self._links.start_ns.value:
            self._end_with_parent()
            time.sleep(START_POLL_S)

    def run(self, granted: Privileges) -> PlantReport:
        """Step in time with the wall clock until the end."""
        dt_s, monitor = self._side.plant.dt_s, DeadlineMonitor()
        tick = round(self._robot.settings.mpc.tick_dt_s / dt_s)
        clock = DeadlineClock(dt_s, self._links.start_ns.value)
        wall_s = 0.0
        self._announce(0.0)
        for step in range(1, 1 + round(self._settings.duration_s / dt_s)):
            monitor.add(int(clock.wait() >= dt_s))
            self._step()
            wall_s = 1e-9 * (now_ns() - self._links.start_ns.value)
            if self._links.stop.value or self._reason is not None:
                break
            if step % tick == 0:
                self._announce(step * dt_s)
        self._publish(ended=True)
        return self._report(monitor, wall_s, granted)

    def _announce(self, time_s: float) -> None:
        """Tell the control process what it needs at a tick, just before its instant."""
        self._end_with_parent()
        self._reason = why_ended(self._side.fault, self._state.known.q, self._robot)
        if self._reason is None and time_s < self._settings.duration_s - 1e-9:
            disturbable = self._side.disturbable
            self._events += self._disturbances.apply(time_s, disturbable)
            self._publish(ended=False)

    def _step(self) -> None:
        """One step of low level and plant."""
        started = time.perf_counter()
        command = self._command(self._state.seen)
        if command.mode is LowLevelMode.HOLD:
            self._faults["damped_hold_steps"] += 1
        self._state = self._side.step(command.tau_Nm)
        self._align(self._state)
        self._steps_s += time.perf_counter() - started

    def _command(self, measured: Measurement) -> JointCommand:
        """Of the low level, on the newest plan there is."""
        if self._links.plans.number != self._plan_number:
            found = self._links.plans.read()
            if found is not None:
                self._plan_number, encoded = found
                plan = self._plans.decode(encoded)
                self._low_level.follow(plan)
                self._plan_time_s, self._plan_used_ns = plan.time_s, now_ns()
        return self._low_level.command(measured.time_s, measured.q, measured.v)

    def _align(self, state: PlantState) -> None:
        if self._aligner is not None:
            robot, seen = self._robot, state.seen
            self._sample = self._aligner.push(
                seen.time_s,
                robot.controlled_q(seen.q),
                robot.controlled_v(seen.v),
                robot.controlled_tau(seen.tau_Nm),
            )

    def _publish(self, *, ended: bool) -> None:
        estimation_ms = self._side.take_estimation_ms()
        snapshot = Snapshot(
            state=self._state,
            command=self._command(self._state.seen),
            sample=self._sample,
            truth=self._side.tick_truth(self._robot),
            steps_ms=1e3 * self._steps_s - estimation_ms,
            estimation_ms=estimation_ms,
            ended=ended,
            plan_time_s=self._plan_time_s,
            plan_used_ns=self._plan_used_ns,
        )
        self._steps_s = 0.0
        self._links.snapshots.write(self._snapshots.encode(snapshot))

    def _report(
        self, steps: DeadlineMonitor, wall_s: float, granted: Privileges
    ) -> PlantReport:
        self._faults.update(self._side.faults())
        self._faults.update(self._low_level.faults())
        if self._aligner is not None:
            for fault, count in self._aligner.rejections.items():
                self._faults[f"sample_{fault.value}"] += count
        if self._reason is not None:
            self._events.append((self._state.known.time_s, self._reason))
        return PlantReport(
            reason=self._reason,
            events=tuple(self._events),
            faults=dict(self._faults),
            steps=steps,
            wall_s=wall_s,
            granted=granted,
        )

    def _end_with_parent(self) -> None:
        """A killed control process leaves no orphan."""
        if os.getppid() != self._links.parent:
            os._exit(1)
