"""The control side: measurement and reference in, torques, plan and inertias out."""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from wbmpc.control.inertia_source import InertiaSource, InertiaUpdate
from wbmpc.control.low_level import JointCommand, LowLevelController
from wbmpc.control.mpc import SolveResult, WholeBodyMpc
from wbmpc.control.plan import Plan
from wbmpc.friction import JointFriction
from wbmpc.ocp.variant import stage_times_ms
from wbmpc.plant.interface import Measurement
from wbmpc.reference import Reference
from wbmpc.robot import Robot


@dataclass(frozen=True, kw_only=True)
class ControlTick:
    """The outcome of one control tick.

    Attributes:
        result: Plan and status.
        update: What the source of inertias said; None without one.
        timing_ms: Duration of each stage.
    """

    result: SolveResult
    update: InertiaUpdate | None
    timing_ms: dict[str, float]

    def with_update(self, update: InertiaUpdate | None) -> ControlTick:
        """The same tick with the inertias that belong to it."""
        if update is None:
            return self
        timing = {**self.timing_ms, **update.timing_ms}
        timing["tick"] += update.timing_ms.get("estimator", 0.0)
        return replace(self, update=update, timing_ms=timing)


class ControlLoop:
    """MPC, low level and a source of inertias, free of any plant or clock.

    `step` is all that a plant in lock-step needs. Whoever keeps time otherwise calls
    `tick` (or `plan` and `adapt`) and `command` at the rates of both.
    """

    def __init__(
        self,
        robot: Robot,
        source: InertiaSource | None = None,
        *,
        mpc: WholeBodyMpc | None = None,
        plan_delay_ticks: int = 0,
        deliver: Callable[[Plan], None] | None = None,
        friction: JointFriction | None = None,
    ) -> None:
        """Couple the parts.

        Args:
            robot: What is controlled.
            source: Who knows its inertias; without it the model stays nominal.
            mpc: One with cost terms of one's own; by default that of the settings.
            plan_delay_ticks: Ticks from a measurement until its plan is followed; a
                plan carries its own time, so that it is followed at its right place.
            deliver: Takes each plan to a low level elsewhere; by default to `command`.
            friction: What the joints of this plant are known to have.
        """
        self.robot = robot
        self.source = source
        self.mpc = WholeBodyMpc(robot) if mpc is None else mpc
        self.last_tick: ControlTick | None = None
        """Of `step`."""
        settings = robot.settings.mpc
        self._tick_s, self._ticked_s = settings.tick_dt_s, -math.inf
        self._faults: Counter[str] = Counter()
        self._waiting: deque[tuple[float, Plan]] = deque()
        self._plan_delay_s = (plan_delay_ticks + settings.delay_ticks) * self._tick_s
        self._low_level = LowLevelController(robot, friction)
        self._deliver = deliver or self._low_level.follow
        self._deliver(self.mpc.plan)

    def step(self, measured: Measurement, reference: Reference) -> JointCommand:
        """Torques for the next step of a plant; plans first where a tick is due."""
        if abs(measured.time_s - self._ticked_s) >= self._tick_s - 1e-9:
            self._ticked_s = measured.time_s
            self.last_tick = self.tick(measured, reference)
        return self.command(measured)

    def command(self, measured: Measurement) -> JointCommand:
        """Torques of all joints, at the low level's rate."""
        if self.source is not None:
            robot = self.robot
            self.source.observe(
                measured.time_s,
                robot.controlled_q(measured.q),
                robot.controlled_v(measured.v),
                robot.controlled_tau(measured.tau_Nm),
            )
        return self._low_level.command(measured.time_s, measured.q, measured.v)

    def tick(self, measured: Measurement, reference: Reference) -> ControlTick:
        """Write the newest inertias into the MPC's model, and plan."""
        update = self.adapt()
        return self.plan(measured, reference).with_update(update)

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
        return ControlTick(result=result, update=None, timing_ms=timing)

    def adapt(self) -> InertiaUpdate | None:
        """Ask the source, and write its inertias into the MPC's model.

        What is no possible body is refused and counted; the last one stays.
        """
        if self.source is None:
            return None
        update = self.source.tick(self.mpc.plan)
        for joint, inertia in zip(self.source.joint_ids, update.published, strict=True):
            try:
                self.mpc.set_inertia(joint, inertia)
            except ValueError:  # the model keeps the last possible body
                self._faults["inertia_refused"] += 1
        return update

    def faults(self) -> dict[str, int]:
        """How often each named fault occurred."""
        return {**self._faults, **self._low_level.faults()}

    def _follow(self, result: SolveResult, now_s: float) -> None:
        """Deliver the plans that are ready by now."""
        if result.status.ok:
            due_s = now_s + self._plan_delay_s - 1e-9
            self._waiting.append((due_s, result.plan))
        while self._waiting and self._waiting[0][0] <= now_s:
            self._deliver(self._waiting.popleft()[1])
