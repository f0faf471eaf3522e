"""Durations of every stage of the closed loop, at the rates of the closed loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from scenarios.library.catalogue import find_scenario
from scenarios.report.metrics.results import StageTiming
from scenarios.report.metrics.timing import percentiles
from scenarios.run.adaptation import build_adaptation
from scenarios.run.disturbances import Disturbances
from scenarios.run.plant_side import PlantState, build_plant_side
from scenarios.run.settings import RunSettings
from wbmpc.control.loop import ControlLoop
from wbmpc.control.low_level import LowLevelController
from wbmpc.ocp.variant import line_search_trials
from wbmpc.robot import Robot

T = TypeVar("T")


class StageBench:
    """A lock-step run whose stages are timed one by one."""

    def __init__(self, settings: RunSettings, robot: Robot) -> None:
        """Build everything, ready at home."""
        self._robot = robot
        self._track = find_scenario(settings.scenario).motion(
            robot, settings.duration_s
        )
        self._side = build_plant_side(settings, robot)
        self._disturbances = Disturbances(settings, robot)
        self._low_level = LowLevelController(robot)
        self._adaptation = build_adaptation(settings, robot)
        self._control = ControlLoop(
            robot, self._adaptation, deliver=self._low_level.follow
        )
        self._times_ms: dict[str, list[float]] = {}
        self.trials: list[int] = []

    def run(self, ticks: int) -> dict[str, StageTiming]:
        """Time so many ticks; stages of the 1 kHz side count per step."""
        tick_s = self._robot.settings.mpc.tick_dt_s
        state = self._side.reset(self._robot.home_q_full)
        for index in range(ticks):
            self._disturbances.apply(index * tick_s, self._side.disturbable)
            reference = self._track.at(state.seen.time_s)
            tick = self._control.tick(state.seen, reference)
            for stage, duration_ms in tick.timing_ms.items():
                self._times_ms.setdefault(stage, []).append(duration_ms)
            trials = line_search_trials(self._control.mpc.solver)
            self.trials += [] if trials is None else [trials]
            for _ in range(round(tick_s / self._side.plant.dt_s)):
                state = self._step(state)
        return {stage: percentiles(t) for stage, t in self._times_ms.items()}

    def _step(self, state: PlantState) -> PlantState:
        seen, robot = state.seen, self._robot
        if self._adaptation is not None:
            observe = self._adaptation.observe
            q, v = robot.controlled_q(seen.q), robot.controlled_v(seen.v)
            tau = robot.controlled_tau(seen.tau_Nm)
            self._timed("aligner_push", lambda: observe(seen.time_s, q, v, tau))
        command = self._timed(
            "low_level", lambda: self._low_level.command(seen.time_s, seen.q, seen.v)
        )
        return self._timed("plant_step", lambda: self._side.step(command.tau_Nm))

    def _timed(self, stage: str, action: Callable[[], T]) -> T:
        started = time.perf_counter()
        result = action()
        duration_ms = 1e3 * (time.perf_counter() - started)
        self._times_ms.setdefault(stage, []).append(duration_ms)
        return result
