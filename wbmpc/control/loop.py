"""The control side: measurement and reference in, torques, plan and estimate out."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scenarios.run.adaptation import AdaptationTick, InertiaAdaptation
from wbmpc.control.low_level import JointCommand, LowLevelController
from wbmpc.control.mpc import SolveResult, WholeBodyMpc
from wbmpc.control.plan import Plan
from wbmpc.friction import JointFriction
from wbmpc.ocp.variant import stage_times_ms
from wbmpc.plant.interface import Measurement
from wbmpc.reference import Reference
from wbmpc.robot import Robot

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ControlTick:
    """What one 100 Hz tick decided.

    Attributes:
        result: Plan and status.
        adaptation: Estimate, or None without estimator.
        timing_ms: Duration of each stage.
    """

    result: SolveResult
    adaptation: AdaptationTick | None
    timing_ms: dict[str, float]

    def with_estimate(self, adapted: AdaptationTick | None) -> ControlTick:
        """The same tick with the estimate that belongs to it."""
        if adapted is None:
            return self
        spent_ms = adapted.timing_ms["estimator"]
        timing = self.timing_ms | adapted.timing_ms
        timing["tick"] += spent_ms
        return replace(self, adaptation=adapted, timing_ms=timing)


class ControlSide:
    """MPC, estimator and low level of one robot, free of any plant or clock."""

    def __init__(
        self,
        robot: Robot,
        adaptation: InertiaAdaptation | None,
        *,
        plan_delay_ticks: int = 0,
        deliver: Callable[[Plan], None] | None = None,
        friction: JointFriction | None = None,
    ) -> None:
        """Couple the parts.

        Args:
            robot: What is controlled.
            adaptation: The estimator's path; without it the model stays nominal.
            plan_delay_ticks: Ticks from a measurement until its plan is followed; a
                plan carries its own time, so that it is followed at its right place.
            deliver: Takes each plan to a low level elsewhere; by default to `command`.
            friction: What the joints of this plant are known to have.
        """
        self.robot = robot
        self._waiting: deque[tuple[float, Plan]] = deque()
        mpc = robot.settings.mpc
        self._plan_delay_s = (plan_delay_ticks + mpc.delay_ticks) * mpc.tick_dt_s
        self.mpc = WholeBodyMpc(robot)
        self.adaptation = adaptation
        self._low_level = LowLevelController(robot, friction)
        self._deliver = deliver or self._low_level.follow
        self._deliver(self.mpc.plan)

    def command(self, measured: Measurement) -> JointCommand:
        """Torques of all joints, at the low level's rate."""
        if self.adaptation is not None:
            robot = self.robot
            self.adaptation.observe(
                measured.time_s,
                robot.controlled_q(measured.q),
                robot.controlled_v(measured.v),
                robot.controlled_tau(measured.tau_Nm),
            )
        return self._low_level.command(measured.time_s, measured.q, measured.v)

    def tick(self, measured: Measurement, reference: Reference) -> ControlTick:
        """Estimate, write the inertias into the MPC's model, and plan."""
        adapted = self.estimate()
        return self.plan(measured, reference).with_estimate(adapted)

    def plan(self, measured: Measurement, reference: Reference) -> ControlTick:
        """Plan with the inertias the model has now, and deliver."""
        started = time.perf_counter()
        result = self.mpc.solve(
            measured.time_s,
            self.robot.controlled_q(measured.q),
            self.robot.controlled_v(measured.v),
            reference,
        )
        solved = time.perf_counter()
        self._follow(result, measured.time_s)
        spent_ms = 1e3 * (solved - started)
        timing = {"estimator": 0.0, "mpc": spent_ms, "tick": spent_ms}
        timing |= stage_times_ms(self.mpc.solver)
        return ControlTick(result=result, adaptation=None, timing_ms=timing)

    def estimate(self) -> AdaptationTick | None:
        """Run the estimator and write the inertias into the MPC's model."""
        if self.adaptation is None:
            return None
        adapted = self.adaptation.tick(self.mpc.plan)
        for joint, parameters in zip(
            self.adaptation.joint_ids, adapted.published, strict=True
        ):
            self.mpc.set_inertia(joint, parameters)
        return adapted

    def _follow(self, result: SolveResult, now_s: float) -> None:
        """Deliver the plans that are ready by now."""
        if result.status.ok:
            due_s = now_s + self._plan_delay_s - 1e-9
            self._waiting.append((due_s, result.plan))
        while self._waiting and self._waiting[0][0] <= now_s:
            self._deliver(self._waiting.popleft()[1])
