"""The whole-body MPC: one FDDP iteration per tick from the shifted warm start."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from models.arrays import Array
from wbmpc.body_inertia import checked_inertia
from wbmpc.control.feedback import state_at
from wbmpc.control.plan import Plan, SolveStatus
from wbmpc.control.stance_frame import StanceFrame
from wbmpc.conventions import unit_base
from wbmpc.ocp.cost import Cost
from wbmpc.ocp.problem import OptimalControlProblem, build_ocp
from wbmpc.ocp.target import com_bounds_m, midfoot_to_world, on_stance
from wbmpc.ocp.variant import FASTEST, Variant
from wbmpc.reference import Reference, home_reference
from wbmpc.robot import Robot

LOG = logging.getLogger(__name__)

COLD_START_ITERATIONS = 100
COLD_START_AFTER = 3
"""Failures in a row after which the warm start is thrown away.

After as many failures of the solver its memory is thrown away as well: numbers that are
not finite stay in a node's data and in the solver, and spoil every later solve.
"""
MOST_CAUSES = 20
"""Different errors of the solver that are logged."""
STALLED_FOR_S = 0.1
"""A solver that takes no step for so long has failed: its plan is open-loop."""


@dataclass(frozen=True, kw_only=True)
class SolveResult:
    """One tick of the MPC.

    Attributes:
        plan: The plan to follow; the last good one if this solve failed.
        status: How the solve ended.
        failures_in_a_row: Failed solves up to and including this one.
        renormalized: The measured quaternion was not quite of unit length.
        bounded: The asked centre of mass was beyond what the feet can hold.
        error: Traceback of what the solver raised, a cost of the user's perhaps.
    """

    plan: Plan
    status: SolveStatus
    failures_in_a_row: int
    renormalized: bool = False
    bounded: bool = False
    error: str = ""


class WholeBodyMpc:
    """Model-predictive controller over the full rigid-body model.

    Each tick solves the problem (8) of arXiv:2610.22176 from the measured state with
    one iteration of FDDP. The model's inertias can be changed between ticks with
    `set_inertia`; nothing is re-allocated.

    References are relative to the feet. Where these stand is measured once, at the
    first solve or `engage`; a plan is in the world, as the measurements are.
    """

    def __init__(
        self,
        robot: Robot,
        variant: Variant = FASTEST,
        more_terms: Mapping[str, Cost] | None = None,
    ) -> None:
        """Build the problem and solve it to convergence for standing at home.

        Args:
            robot: What is controlled.
            variant: Which implementation of the problem.
            more_terms: Cost terms besides those of the settings, by name.

        Raises:
            UnknownNameError: `mpc.disabled` names a term that does not exist.
            SettingError: A term has the wrong number of rows.
        """
        self.robot = robot
        self.settings = robot.settings.mpc
        self.ocp: OptimalControlProblem = build_ocp(robot, variant, more_terms)
        self.model: pin.Model = self.ocp.state.pinocchio
        self._variant = variant
        self.solver = self._new_solver()
        self._midfoot = midfoot_to_world(robot)
        self._com_data = robot.model.createData()
        self._failures = 0
        self._error, self._causes = "", set[str]()
        self._failures_of_solver = 0
        self._stalls, self._most_stalls = 0, STALLED_FOR_S / self.settings.tick_dt_s
        self._gains = self.settings.realtime_iteration
        self._home = np.concatenate([robot.home_q, np.zeros(robot.model.nv)])
        home = home_reference(robot)
        self._reference_shapes = home.shapes
        self.set_reference(home)
        self._bounds_m = com_bounds_m(robot)
        self._stance: StanceFrame | None = None
        self._plan = self._cold_start(0.0, self._home)
        self._told = self._plan

    @property
    def plan(self) -> Plan:
        """The last plan that may be followed."""
        return self._told

    def engage(self, q: Array) -> None:
        """Take the feet to stay where they are now.

        Args:
            q: (nq,) measured configuration of `Robot.model`, finite and of unit
                quaternion.
        """
        self._stance = StanceFrame.measured(self.robot, q)

    def set_inertia(self, joint: int, parameters: Array) -> None:
        """Write a body's inertia into the model of every node, in place.

        Args:
            joint: Index of the joint that carries the body.
            parameters: (10,) [m, m c, I about the joint frame], Pinocchio's order.

        Raises:
            ValueError: No such moving body, or the ten numbers of no possible body;
                the model keeps what it had.
        """
        if not 1 <= joint < self.model.njoints:
            raise ValueError(f"joint {joint}: must be 1 to {self.model.njoints - 1}")
        self.ocp.set_inertia(joint, checked_inertia(parameters))

    def set_reference(self, reference: Reference) -> None:
        """Change the targets of the whole horizon.

        Targets given in the mid-foot frame are placed on the stance.
        """
        self.ocp.set_target(on_stance(reference, self._midfoot))

    def solve(
        self, time_s: float, q: Array, v: Array, reference: Reference
    ) -> SolveResult:
        """Plan from a measured state.

        Never raises: a failed solve returns the last good plan and says why.

        Args:
            time_s: Plant time of the measurement.
            q: (nq,) configuration of `Robot.model`.
            v: (nv,) velocity.
            reference: Targets.
        """
        unit, bounded = self._usable_state(q, v), False
        self._error = ""
        if unit is None:
            status = SolveStatus.FAILED_STATE
        elif reference.shapes != self._reference_shapes or not reference.is_finite():
            status = SolveStatus.FAILED_REFERENCE
        else:
            if self._stance is None:
                self.engage(unit[0])
            assert self._stance is not None
            q = self._stance.from_world(unit[0])
            asked, bounded = self._within_feet(reference)
            self.ocp.set_target(
                on_stance(asked, self._midfoot, sideways_m=self._carried_m(q))
            )
            if self.settings.realtime_iteration:
                time_s, q, v = self._predict(time_s, q, v)
            if self._failures_of_solver >= COLD_START_AFTER:
                self._renew()
            status = self._iterate(time_s, np.concatenate([q, v]))
            self._failures_of_solver = 0 if status.ok else self._failures_of_solver + 1
        self._failures = 0 if status.ok else self._failures + 1
        return SolveResult(
            plan=self._told,
            status=status,
            failures_in_a_row=self._failures,
            renormalized=unit is not None and unit[1],
            bounded=bounded,
            error=self._error,
        )

    def _within_feet(self, reference: Reference) -> tuple[Reference, bool]:
        """The reference with a centre of mass that the feet can hold."""
        low, high = self._bounds_m
        com_m = np.r_[np.clip(reference.com_m[:2], low, high), reference.com_m[2]]
        if (com_m == reference.com_m).all():
            return reference, False
        return replace(reference, com_m=com_m), True

    def _carried_m(self, q: Array) -> float:
        """How far known loads move the centre of mass to the left [m].

        Sideways the stance is wide enough to let it: to move the pelvis against it
        would move the hands. Fore and aft it is not, and the pelvis moves.
        """
        loaded = pin.centerOfMass(self.ocp.state.pinocchio, self._com_data, q).copy()
        moved = loaded - pin.centerOfMass(self.robot.model, self._com_data, q)
        return float(self._midfoot.rotation[:, 1] @ moved)

    def _new_solver(self) -> Any:
        solver = self._variant.solver(self.ocp.problem)
        solver.th_stop = 1e-9
        return solver

    def _renew(self) -> None:
        """Fresh memory for every node and the solver; takes about two ticks."""
        self.ocp = self.ocp.renewed()
        self.solver = self._new_solver()
        self._failures_of_solver = 0

    def _usable_state(self, q: Array, v: Array) -> tuple[Array, bool] | None:
        """The configuration with a unit quaternion, and whether that had to be made.

        None for what is no state of this model.
        """
        if np.shape(q) != (self.model.nq,) or np.shape(v) != (self.model.nv,):
            return None
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            return None
        return unit_base(q)

    def _predict(self, time_s: float, q: Array, v: Array) -> tuple[float, Array, Array]:
        """Next tick and its state: the measured one, moved as the plan moves."""
        model, later_s = self.robot.model, time_s + self.settings.tick_dt_s
        q_now, v_now = state_at(model, self._plan, time_s)
        q_then, v_then = state_at(model, self._plan, later_s)
        q_later = pin.integrate(model, q, pin.difference(model, q_now, q_then))
        return later_s, q_later, v + v_then - v_now

    def _iterate(self, time_s: float, x: Array) -> SolveStatus:
        self.ocp.problem.x0 = x
        try:
            if self._failures >= COLD_START_AFTER:
                xs, us = self._standing_start(x)
            else:
                xs, us = shift(self._plan, time_s)
            xs[0] = x
            converged = self.solver.solve(
                list(xs),
                list(us),
                self.settings.iterations,
                False,
                self.settings.regularization,
            )
        except Exception:  # whatever native code throws is one failed solve
            self._tell(traceback.format_exc())
            return SolveStatus.FAILED_SOLVER
        tau_Nm = np.array(self.solver.us)
        status = self._status(converged, us, tau_Nm)
        if status.ok:
            self._plan = self._read_plan(time_s, tau_Nm)
            self._told = self._in_world(self._plan)
        return status

    def _tell(self, error: str) -> None:
        """Keep what was raised, and log it once for each cause."""
        self._error = error
        cause = error.splitlines()[-1]
        if cause not in self._causes and len(self._causes) < MOST_CAUSES:
            self._causes.add(cause)
            LOG.error("the solver raised an error; the last plan goes on\n%s", error)

    def _status(self, converged: bool, guess_Nm: Array, tau_Nm: Array) -> SolveStatus:
        numbers = (self.solver.cost, self.solver.xs, tau_Nm)
        if not all(np.isfinite(part).all() for part in numbers):
            return SolveStatus.FAILED_COST
        if self.solver.preg >= self.solver.reg_max:
            return SolveStatus.FAILED_REGULARIZATION
        if converged:
            self._stalls = 0
            return SolveStatus.CONVERGED
        if not np.array_equal(guess_Nm, tau_Nm):
            self._stalls = 0
            return SolveStatus.USABLE
        self._stalls += 1
        lasting = self._stalls > self._most_stalls
        return SolveStatus.FAILED_STALLED if lasting else SolveStatus.STALLED

    def _read_plan(self, time_s: float, tau_Nm: Array) -> Plan:
        xs = np.array(self.solver.xs)
        return Plan(
            time_s=time_s,
            node_dt_s=self.settings.node_dt_s,
            q=xs[:, : self.model.nq],
            v=xs[:, self.model.nq :],
            tau_Nm=tau_Nm,
            cost=float(self.solver.cost),
            gain=np.array(self.solver.K[0]) if self._gains else None,
        )

    def _in_world(self, plan: Plan) -> Plan:
        if self._stance is None or self._stance.is_home:
            return plan
        return replace(plan, q=self._stance.to_world(plan.q))

    def _cold_start(self, time_s: float, x: Array) -> Plan:
        xs, us = self._standing_start(x)
        self.ocp.problem.x0 = x
        self.solver.solve(
            list(xs),
            list(us),
            COLD_START_ITERATIONS,
            False,
            self.settings.regularization,
        )
        return self._read_plan(time_s, np.array(self.solver.us))

    def _standing_start(self, x: Array) -> tuple[Array, Array]:
        """Stay at x with the torques that hold it still."""
        xs = np.tile(x, (self.settings.nodes + 1, 1))
        us = self.ocp.problem.quasiStatic([x] * self.settings.nodes)
        return xs, np.array(us)


def shift(plan: Plan, time_s: float) -> tuple[Array, Array]:
    """Resample a plan so that its first node is at `time_s`.

    Ticks are shorter than nodes, so states are interpolated; the quaternion is
    renormalised. Past the end of the plan its last node is repeated.

    Returns:
        States (K+1, nx) and torques (K, nu), new arrays.
    """
    xs = np.hstack([plan.q, plan.v])
    nodes = np.arange(len(xs), dtype=float) + (time_s - plan.time_s) / plan.node_dt_s
    xs_shifted = _interpolate(xs, nodes)
    xs_shifted[:, 3:7] /= np.linalg.norm(xs_shifted[:, 3:7], axis=1, keepdims=True)
    return xs_shifted, _interpolate(plan.tau_Nm, nodes[:-1])


def _interpolate(rows: Array, at: NDArray[np.floating]) -> Array:
    at = np.clip(at, 0.0, len(rows) - 1.0)
    lower = np.minimum(at.astype(int), max(len(rows) - 2, 0))
    upper = np.minimum(lower + 1, len(rows) - 1)
    share = (at - lower)[:, None]
    return (1.0 - share) * rows[lower] + share * rows[upper]
