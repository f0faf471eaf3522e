"""Runs a scenario in lock-step: plant, low level, estimator and MPC in one process.

A run against the wall clock is in `scenarios.run.realtime`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from scenarios.library.catalogue import find_scenario
from scenarios.records.record import RunRecord
from scenarios.records.recorder import Recorder
from scenarios.run.adaptation import build_adaptation
from scenarios.run.disturbances import Disturbances
from scenarios.run.estimator_settings import checked_robot
from scenarios.run.motion_cache import references_of
from scenarios.run.outcome import why_ended
from scenarios.run.plant_side import (
    PlantSide,
    PlantState,
    build_plant_side,
    imperfections_of,
    known_friction,
)
from scenarios.run.settings import RunSettings
from scenarios.run.viewer import Viewer
from wbmpc.control.loop import ControlLoop
from wbmpc.control.low_level import JointCommand, LowLevelMode
from wbmpc.reference import ReferenceSource
from wbmpc.robot import Robot

COST_EVERY = 10
"""Ticks between two readings of the cost by term."""


def run(
    settings: RunSettings,
    *,
    on_tick: Callable[[float], None] | None = None,
    viewer: Viewer | None = None,
    references: ReferenceSource | None = None,
) -> RunRecord:
    """Run a scenario.

    One control tick every `mpc.tick_dt_s`; the plan takes effect at the instant of its
    measurement, and the plant waits for it, so that a run is deterministic.

    Args:
        settings: What to run.
        on_tick: Called with the plant time after each control tick.
        viewer: Shows the robot.
        references: In place of the scenario's own.

    Raises:
        ModelMismatchError: Plant and controller disagree about the robot.
        ModelsError: The settings ask for something that does not exist.
    """
    if settings.realtime:
        from scenarios.run.realtime import run_realtime

        return run_realtime(
            settings, on_tick=on_tick, viewer=viewer, references=references
        )
    robot = checked_robot(settings.robot, settings.overrides)
    if references is None:
        scenario = find_scenario(settings.scenario)
        references = references_of(scenario.motion, robot, settings.duration_s)
    side = build_plant_side(settings, robot)
    return Run(settings, robot, side, references).finish(on_tick, viewer)


class Run:
    """One run in progress."""

    def __init__(
        self,
        settings: RunSettings,
        robot: Robot,
        side: PlantSide,
        references: ReferenceSource,
    ) -> None:
        """Start at home with every part ready."""
        self._settings, self._robot = settings, robot
        self._side, self._references = side, references
        delay = imperfections_of(settings).plan_delay_ticks
        self._adaptation = build_adaptation(settings, robot)
        self._control = ControlLoop(
            robot,
            self._adaptation,
            plan_delay_ticks=delay,
            friction=known_friction(settings, robot),
        )
        true_model = None if side.truth is None else side.truth.true_model
        self._recorder = Recorder(settings, robot, true_model)
        self._state = side.reset(settings.start.frame().to_world(robot.home_q_full))
        self._disturbances = Disturbances(settings, robot)

    def finish(
        self, on_tick: Callable[[float], None] | None, viewer: Viewer | None
    ) -> RunRecord:
        """Run to the end, or until the robot falls."""
        started = time.perf_counter()
        tick_s = self._robot.settings.mpc.tick_dt_s
        fell = False
        for index in range(round(self._settings.duration_s / tick_s)):
            disturbable = self._side.disturbable
            for event in self._disturbances.apply(index * tick_s, disturbable):
                self._recorder.event(*event)
            self._tick(index, tick_s)
            if viewer is not None:
                self._show(viewer)
            now = self._state.known
            if on_tick is not None:
                on_tick(now.time_s)
            reason = why_ended(self._side.fault, now.q, self._robot)
            if reason:
                self._recorder.event(now.time_s, reason)
                fell = True
                break
        if self._adaptation is not None:
            self._recorder.faults.update(self._adaptation.faults())
        self._recorder.faults.update(self._control.faults())
        self._recorder.faults.update(self._side.faults())
        return self._recorder.finish(fell=fell, wall_s=time.perf_counter() - started)

    def _show(self, viewer: Viewer) -> None:
        now, truth = self._state.known, self._side.tick_truth(self._robot)
        loads = np.zeros(len(self._robot.arms)) if truth is None else truth.loads_kg
        drawn = None if self._adaptation is None else self._adaptation.drawn()
        viewer.update(now.time_s, now.q, loads, drawn)

    def _tick(self, index: int, tick_s: float) -> None:
        state = self._state
        reference = self._references.at(state.seen.time_s)
        tick = self._control.tick(state.seen, reference)
        command = self._control.command(state.seen)
        truth = self._side.tick_truth(self._robot)
        self._recorder.tick(state, reference, tick, command, truth)
        if index % COST_EVERY == 0:
            costs = self._control.mpc.ocp.cost_by_term()
            self._recorder.cost(state.known.time_s, costs)
        started = time.perf_counter()
        self._state = self._advance(state, command, tick_s)
        spent_ms = 1e3 * (time.perf_counter() - started)
        estimation_ms = self._side.take_estimation_ms()
        if state.base is not None:
            self._recorder.timing("state_estimation", estimation_ms)
        self._recorder.timing("plant_and_low_level", spent_ms - estimation_ms)

    def _advance(
        self, state: PlantState, command: JointCommand, tick_s: float
    ) -> PlantState:
        for step in range(round(tick_s / self._side.plant.dt_s)):
            if step:
                command = self._control.command(state.seen)
            state = self._side.step(command.tau_Nm)
            if command.mode is LowLevelMode.HOLD:
                self._recorder.faults["damped_hold_steps"] += 1
        return state
