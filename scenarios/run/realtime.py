"""Runs a scenario against the wall clock, with the record of a lock-step run.

Two processes, as on the robot: the 100 Hz control side here, plant and low level at
1 kHz in `scenarios.run.plant_process`. What happens on a missed deadline is written
down in `wbmpc.realtime.deadline`. Such a run is not deterministic.
"""

from __future__ import annotations

import math
import multiprocessing
import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Protocol

import msgspec
import numpy as np

from scenarios.library.catalogue import find_scenario
from scenarios.records.record import SIDES, Deadlines, RunRecord
from scenarios.records.recorder import Recorder
from scenarios.run.adaptation import build_adaptation
from scenarios.run.estimator_settings import checked_robot
from scenarios.run.plant_process import (
    PlantLinks,
    PlantReady,
    PlantReport,
    serve_plant,
)
from scenarios.run.settings import RunSettings
from scenarios.run.snapshot import PlanCodec, Snapshot, SnapshotCodec
from scenarios.run.viewer import Viewer
from wbmpc.control.loop import ControlLoop, ControlTick
from wbmpc.control.plan import Plan
from wbmpc.errors import RealTimeError
from wbmpc.realtime import (
    DeadlineClock,
    DeadlineMonitor,
    Privileges,
    Slot,
    now_ns,
    realtime_process,
    sleep_until,
)
from wbmpc.realtime.child_process import (
    end_process,
    raise_sent_error,
    start_process,
)
from wbmpc.reference import Reference, ReferenceSource
from wbmpc.robot import Robot

RECORD_NS = 1_500_000
"""Time to be left before the next tick for recording a pending one."""
COST_EVERY = 100
"""Ticks between two readings of the cost by term."""
COST_NS = 4_000_000
"""Time to be left for such a reading; it is put off to a tick that leaves it."""
CONTROL_PRIORITY = 40
"""Of SCHED_FIFO."""
PLANT_PRIORITY = 60
"""Of SCHED_FIFO; above control, whose cycle is ten times as long."""
START_DELAY_NS = 100_000_000
"""From the decision to start to the first instant."""
POLL_NS = 50_000
LAST_S = 0.02
"""At the end of a run, in which a missed deadline does not count: its plan would hardly
be followed."""
READY_TIMEOUT_S = 60.0
END_TIMEOUT_S = 10.0


class Companion(Protocol):
    """Someone who is told of every tick, and may end the run."""

    @property
    def wants_end(self) -> bool:
        """Whether the run shall end now."""
        ...

    def ticked(self, snapshot: Snapshot, tick: ControlTick) -> None:
        """A tick's plan is on its way; must be quick."""
        ...


def run_realtime(
    settings: RunSettings,
    *,
    on_tick: Callable[[float], None] | None = None,
    viewer: Viewer | None = None,
    privileged: bool = True,
    references: ReferenceSource | None = None,
    companion: Companion | None = None,
    keep_s: float | None = None,
) -> RunRecord:
    """Run a scenario in real time.

    Args:
        settings: What to run.
        on_tick: Called with the plant time after each control tick.
        viewer: Shows the robot.
        privileged: Ask for SCHED_FIFO and locked memory.
        references: In place of the scenario's own.
        companion: Is told of every tick.
        keep_s: Record only the last so many seconds; None: everything.

    Raises:
        RealTimeError: The plant's process died or did not answer.
        ModelsError: As for a lock-step run.
    """
    settings = _on_several_cores(settings)
    robot = checked_robot(settings.robot, settings.overrides)
    if references is None:
        scenario = find_scenario(settings.scenario)
        references = scenario.motion(robot, settings.duration_s)
    with PlantLink(settings, robot, privileged=privileged) as plant:
        run = RealTimeRun(settings, robot, plant, references, companion, keep_s)
        with realtime_process(CONTROL_PRIORITY if privileged else None) as granted:
            return run.finish(on_tick, viewer, granted)


def _on_several_cores(settings: RunSettings) -> RunSettings:
    """Solve on two threads where there are two cores, unless told otherwise."""
    threads = min(2, os.cpu_count() or 1)
    chosen = (f"mpc.threads={threads}", *settings.overrides)
    return msgspec.structs.replace(settings, overrides=chosen)


class PlantLink:
    """The plant's process as the control side sees it."""

    def __init__(
        self, settings: RunSettings, robot: Robot, *, privileged: bool
    ) -> None:
        """Prepare the process; entering the context starts it."""
        context = multiprocessing.get_context("spawn")
        self._snapshots, self._plans = SnapshotCodec(robot), PlanCodec(robot)
        self._results, send = context.Pipe(duplex=False)
        self._send: Connection | None = send
        self._links = PlantLinks(
            snapshots=Slot(context, self._snapshots.dtype),
            plans=Slot(context, self._plans.dtype),
            start_ns=context.RawValue("q", 0),
            stop=context.RawValue("q", 0),
            results=send,
            parent=os.getpid(),
            priority=PLANT_PRIORITY if privileged else None,
        )
        self._process = context.Process(
            target=serve_plant, args=(settings, self._links), daemon=True
        )

    def __enter__(self) -> PlantLink:
        """Start the process."""
        start_process(self._process)
        assert self._send is not None
        self._send.close()
        return self

    def __exit__(self, *_: object) -> None:
        """End the process, however the run ended."""
        end_process(self._process)

    @property
    def pid(self) -> int | None:
        """Of the process."""
        return self._process.pid

    def wait_ready(self) -> PlantReady:
        """Wait until the plant is built and passed its gate."""
        ready = self._receive(READY_TIMEOUT_S)
        assert isinstance(ready, PlantReady)
        return ready

    def start(self) -> int:
        """Fix the common start; returns that instant."""
        self._links.start_ns.value = now_ns() + START_DELAY_NS
        return int(self._links.start_ns.value)

    def publish(self, plan: Plan) -> None:
        """Hand a plan to the low level."""
        self._links.plans.write(self._plans.encode(plan))

    def snapshot(self, index: int, deadline_ns: int) -> Snapshot | None:
        """Newest snapshot once that of tick `index`, or the last one, is there.

        A caller who is late may ask for a tick that the run no longer has.

        Returns:
            None if it has not come by the deadline.

        Raises:
            RealTimeError: The process has died.
        """
        looked_at = 0
        while (number := self._links.snapshots.number) <= index:
            if number != looked_at:
                looked_at, last = number, self._newest()
                if last is not None and last.ended:
                    return last
            if now_ns() >= deadline_ns:
                if not self._process.is_alive():
                    return self._last_word()
                return None
            sleep_until(now_ns() + POLL_NS)
        return self._newest()

    def finish(self) -> PlantReport:
        """Ask the process to end, and take its report."""
        self._links.stop.value = 1
        report = self._receive(END_TIMEOUT_S)
        assert isinstance(report, PlantReport)
        return report

    def _last_word(self) -> Snapshot | None:
        """Last snapshot of a process that ended as it should."""
        last = self._newest()
        if last is None or not last.ended:
            self._receive(0.0)
        return last

    def _newest(self) -> Snapshot | None:
        found = self._links.snapshots.read()
        return None if found is None else self._snapshots.decode(found[1])

    def _receive(self, timeout_s: float) -> Any:
        try:
            if not self._results.poll(timeout_s):
                raise RealTimeError(
                    f"the plant's process did not answer within {timeout_s:g} s"
                )
            answer = self._results.recv()
        except EOFError:
            self._process.join(END_TIMEOUT_S)
            raise RealTimeError(
                "the plant's process died (exit code "
                f"{self._process.exitcode}); the run was stopped"
            ) from None
        raise_sent_error(answer)
        return answer


@dataclass(frozen=True)
class _Tick:
    """A tick that is still to be recorded."""

    snapshot: Snapshot
    reference: Reference
    tick: ControlTick
    late_s: float


class RealTimeRun:
    """The control side of one run."""

    def __init__(
        self,
        settings: RunSettings,
        robot: Robot,
        plant: PlantLink,
        references: ReferenceSource,
        companion: Companion | None = None,
        keep_s: float | None = None,
    ) -> None:
        """Get every part ready while the plant's process does the same."""
        self._settings, self._plant = settings, plant
        self._references, self._companion = references, companion
        self._tick_s = robot.settings.mpc.tick_dt_s
        self._adaptation = build_adaptation(settings, robot)
        # The plan's delay is real here: none is added.
        self._control = ControlLoop(robot, self._adaptation, deliver=plant.publish)
        true_model = plant.wait_ready().true_model
        keep_ticks = None if keep_s is None else round(keep_s / self._tick_s)
        self._recorder = Recorder(settings, robot, true_model, keep_ticks=keep_ticks)
        self._pending: deque[_Tick] = deque()
        self._next_cost = 0
        self._monitor = DeadlineMonitor()
        self._ticks_to_count = ticks_to_count(settings.duration_s, self._tick_s)
        until_s = settings.duration_s + END_TIMEOUT_S
        self._last_index = math.ceil(until_s / self._tick_s)
        """To wait for a plant that is behind."""

    def finish(
        self,
        on_tick: Callable[[float], None] | None,
        viewer: Viewer | None,
        granted: Privileges,
    ) -> RunRecord:
        """Run to the end, until the robot falls, or until control is given up."""
        self._loop(DeadlineClock(self._tick_s, self._plant.start()), on_tick, viewer)
        report = self._plant.finish()
        recorder = self._recorder
        while self._pending:
            self._record(self._pending.popleft())
        for event in report.events:
            recorder.event(*event)
        if self._monitor.must_stop:
            recorder.event(self._control.mpc.plan.time_s, self._gave_up())
        recorder.events.sort(key=lambda event: event[0])
        if self._adaptation is not None:
            recorder.faults.update(self._adaptation.faults())
        recorder.faults.update(self._control.faults())
        recorder.faults.update(report.faults)
        recorder.deadlines = _deadlines(self._monitor, report, granted)
        fell = report.reason is not None or self._monitor.must_stop
        return recorder.finish(fell=fell, wall_s=report.wall_s)

    def _loop(
        self,
        clock: DeadlineClock,
        on_tick: Callable[[float], None] | None,
        viewer: Viewer | None,
    ) -> None:
        while not self._monitor.must_stop and not self._wants_end():
            if clock.index >= self._last_index:
                return
            late_s = clock.wait()
            snapshot = self._plant.snapshot(clock.index, clock.deadline_ns)
            if snapshot is None:
                self._end_cycle(clock)
                continue
            if snapshot.ended:
                return
            self._tick(clock, snapshot, late_s)
            self._show(snapshot, on_tick, viewer)
            self._use_what_is_left(clock)

    def _tick(self, clock: DeadlineClock, snapshot: Snapshot, late_s: float) -> None:
        """Plan first: the estimate of this tick is for the next plan."""
        seen, control = snapshot.state.seen, self._control
        if self._adaptation is not None:
            self._adaptation.accept(snapshot.sample)
        reference = self._references.at(seen.time_s)
        planned = control.plan(seen, reference)
        self._end_cycle(clock)
        tick = planned.with_update(control.adapt())
        self._pending.append(_Tick(snapshot, reference, tick, late_s))
        if self._companion is not None:
            self._companion.ticked(snapshot, tick)

    def _end_cycle(self, clock: DeadlineClock) -> None:
        """Count the deadlines that were missed, as far as the run still had them."""
        left = max(self._ticks_to_count - clock.index, 0)
        missed = clock.end_cycle()
        if missed == 0 or left > 0:
            self._monitor.add(min(missed, left))

    def _wants_end(self) -> bool:
        return self._companion is not None and self._companion.wants_end

    def _use_what_is_left(self, clock: DeadlineClock) -> None:
        """Do what can wait, as far as the time until the next tick reaches."""
        if clock.index >= self._next_cost and clock.left_ns() > COST_NS:
            time_s = self._pending[-1].snapshot.state.known.time_s
            self._recorder.cost(time_s, self._control.mpc.ocp.cost_by_term())
            self._next_cost = clock.index + COST_EVERY
        while self._pending and clock.left_ns() > RECORD_NS:
            self._record(self._pending.popleft())

    def _record(self, it: _Tick) -> None:
        recorder, snapshot = self._recorder, it.snapshot
        recorder.tick(
            snapshot.state, it.reference, it.tick, snapshot.command, snapshot.truth
        )
        if snapshot.state.base is not None:
            recorder.timing("state_estimation", snapshot.estimation_ms)
        recorder.timing("plant_and_low_level", snapshot.steps_ms)
        recorder.timing("wake_up_late", 1e3 * it.late_s)

    def _show(
        self,
        snapshot: Snapshot,
        on_tick: Callable[[float], None] | None,
        viewer: Viewer | None,
    ) -> None:
        now, truth = snapshot.state.known, snapshot.truth
        if viewer is not None:
            loads = np.zeros(len(SIDES)) if truth is None else truth.loads_kg
            drawn = None if self._adaptation is None else self._adaptation.drawn()
            viewer.update(now.time_s, now.q, loads, drawn)
        if on_tick is not None:
            on_tick(now.time_s)

    def _gave_up(self) -> str:
        return f"control stopped: {self._monitor.in_a_row} deadlines missed in a row"


def ticks_to_count(duration_s: float, tick_s: float) -> int:
    """Ticks whose deadline, the next tick, comes before the last `LAST_S` of a run."""
    return max(math.floor((duration_s - LAST_S) / tick_s + 1e-6), 0)


def _deadlines(
    control: DeadlineMonitor, report: PlantReport, granted: Privileges
) -> Deadlines:
    both = (granted, report.granted)
    return Deadlines(
        control_missed=control.missed,
        control_total=control.kept + control.missed,
        control_longest_row=control.longest_row,
        steps_late=report.steps.missed,
        steps_total=report.steps.kept + report.steps.missed,
        scheduler=", ".join(dict.fromkeys(p.scheduler for p in both)),
        memory_locked=all(p.memory_locked for p in both),
        refused=tuple(dict.fromkeys(r for p in both for r in p.refused)),
    )
