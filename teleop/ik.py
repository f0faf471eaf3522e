r"""Differential inverse kinematics: one small quadratic program per tick.

\[ \min_{\Delta} \sum_i \|W_i (J_i \Delta - g\, e_i)\|^2
   + w_p^2 \|\Delta - g (q_h \ominus q)\|^2
   + (w_d^2 + \mu \textstyle\sum_i \|W_i e_i\|^2) \|\Delta\|^2 \]

over the steps \(\Delta\) of the degrees of freedom that may move, within speed limits,
position limits and further linear inequalities; e_i = log6(T_i^{-1} T_i^*) in the axes
of frame i. The damping that grows with the error keeps a stretched arm calm (Sugihara
2011). Solved by DAQP (Arnstrom et al. 2022), an active-set method.

The speed limit always wins: from outside its position limits a joint comes back at the
speed limit, instead of asking for a step that is not allowed.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

import daqp
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from models.arrays import Array

ERROR_DAMPING = 1.0
"""mu above."""
FEASIBILITY_SLACK = 1e-12
"""Bounds closer together than this are one equality to the solver; keep them apart."""
_HARD, _SOFT = 0, 8
"""DAQP's kinds of inequality."""


class IkStatus(enum.Enum):
    """How a step came about."""

    SOLVED = "solved"
    FAILED = "the quadratic program was not solved; the arms hold"
    NOT_FINITE = "a target is not finite; the arms hold"

    @property
    def ok(self) -> bool:
        """Whether the step is the solver's."""
        return self is IkStatus.SOLVED


@dataclass(frozen=True, kw_only=True)
class FrameTask:
    """A frame that should be somewhere.

    Attributes:
        frame: Index in the model.
        target: In the model's world.
        position_weight: Per metre.
        orientation_weight: Per radian.
    """

    frame: int
    target: pin.SE3
    position_weight: float = 1.0
    orientation_weight: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Inequalities:
    """Rows A Delta <= b; kept where that is possible.

    Attributes:
        matrix: (m, n) over the active degrees of freedom.
        upper: (m,).
    """

    matrix: Array
    upper: Array


@dataclass(frozen=True, kw_only=True)
class IkLimits:
    """Limits of the active degrees of freedom, (n,) each.

    Attributes:
        low: Lowest position; -inf where there is none.
        high: Highest position; inf where there is none.
        speed: Largest speed per s.
    """

    low: Array
    high: Array
    speed: Array


@dataclass(frozen=True, kw_only=True)
class IkWeights:
    """Weights of the program above.

    Attributes:
        gain: g, share of an error closed in one tick.
        posture: w_p, per radian.
        damping: w_d, per radian.
    """

    gain: float
    posture: float
    damping: float


@dataclass(frozen=True, kw_only=True)
class IkStep:
    """Result of one tick.

    Attributes:
        q: (nq,) new configuration.
        v: (nv,) velocity that leads to it.
        status: How it came about.
        outside: Degrees of freedom that were beyond a position limit.
    """

    q: Array
    v: Array
    status: IkStatus
    outside: int


class DifferentialIk:
    """Inverse kinematics of some degrees of freedom of a model."""

    def __init__(
        self,
        model: pin.Model,
        active: Sequence[int],
        limits: IkLimits,
        weights: IkWeights,
        posture: Array,
    ) -> None:
        """Prepare.

        Args:
            model: Any model; its other degrees of freedom stay where they are.
            active: Indices into its velocity vector, a floating base's included.
            limits: Of these.
            weights: Of the program.
            posture: (nq,) configuration that what the tasks leave free is pulled to.
        """
        self._model, self._data = model, model.createData()
        self._active = np.array(active, dtype=int)
        self._position_index = _position_index(model, self._active)
        self._limits, self._weights = limits, weights
        self._posture = posture.copy()

    def step(
        self,
        q: Array,
        tasks: Sequence[FrameTask],
        dt_s: float,
        *,
        held: NDArray[np.bool_] | None = None,
        inequalities: Inequalities | None = None,
    ) -> IkStep:
        """Move one tick towards the targets.

        Args:
            q: (nq,) configuration.
            tasks: What should be where.
            dt_s: Length of the tick.
            held: (n,) active degrees of freedom that must not move.
            inequalities: To be kept as well.
        """
        low, high, outside = self._bounds(q, dt_s)
        if held is not None:
            low, high = np.where(held, 0.0, low), np.where(held, 0.0, high)
        if not all(np.isfinite(task.target.homogeneous).all() for task in tasks):
            return self._still(q, IkStatus.NOT_FINITE, outside)
        hessian, gradient = self._cost(q, tasks)
        step = _solve(hessian, gradient, low, high, inequalities)
        if step is None:
            return self._still(q, IkStatus.FAILED, outside)
        full = np.zeros(self._model.nv)
        full[self._active] = np.clip(step, low, high)
        moved = pin.integrate(self._model, q, full)
        return IkStep(q=moved, v=full / dt_s, status=IkStatus.SOLVED, outside=outside)

    def _still(self, q: Array, status: IkStatus, outside: int) -> IkStep:
        rest = np.zeros(self._model.nv)
        return IkStep(q=q.copy(), v=rest, status=status, outside=outside)

    def _bounds(self, q: Array, dt_s: float) -> tuple[Array, Array, int]:
        """Smallest and largest step, and how many positions are out of range.

        A position beyond a limit may stay there and may come back, but is not pushed:
        an arm that is asked to hold its hand still must not move it for a limit.
        """
        limits, reach = self._limits, self._limits.speed * dt_s
        known = self._position_index >= 0
        position = np.where(known, q[self._position_index], 0.0)
        to_low = np.where(known, limits.low - position, -np.inf)
        to_high = np.where(known, limits.high - position, np.inf)
        outside = int(np.sum((to_low > 0.0) | (to_high < 0.0)))
        return np.clip(to_low, -reach, 0.0), np.clip(to_high, 0.0, reach), outside

    def _cost(self, q: Array, tasks: Sequence[FrameTask]) -> tuple[Array, Array]:
        model, data, weights = self._model, self._data, self._weights
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        n = len(self._active)
        pull = weights.gain * pin.difference(model, q, self._posture)[self._active]
        gradient = -(weights.posture**2) * pull
        hessian = (weights.posture**2 + weights.damping**2) * np.eye(n)
        for task in tasks:
            jacobian, error = self._task(task)
            gradient -= weights.gain * jacobian.T @ error
            hessian += jacobian.T @ jacobian
            hessian += ERROR_DAMPING * float(error @ error) * np.eye(n)
        return hessian, gradient

    def _task(self, task: FrameTask) -> tuple[Array, Array]:
        """Weighted Jacobian (6, n) and error (6,) in the axes of the frame."""
        placement = self._data.oMf[task.frame]
        between = placement.actInv(task.target)
        # The straight way for the position, whatever the orientation does.
        error = np.concatenate([between.translation, pin.log3(between.rotation)])
        jacobian = pin.getFrameJacobian(self._model, self._data, task.frame, pin.LOCAL)
        rows = np.repeat([task.position_weight, task.orientation_weight], 3)
        return rows[:, None] * jacobian[:, self._active], rows * error


def _solve(
    hessian: Array,
    gradient: Array,
    low: Array,
    high: Array,
    inequalities: Inequalities | None,
) -> Array | None:
    n = len(gradient)
    matrix, upper = np.zeros((0, n)), np.zeros(0)
    if inequalities is not None:
        matrix, upper = inequalities.matrix, inequalities.upper
    kind = np.full(n + len(upper), _HARD, dtype=np.intc)
    kind[n:] = _SOFT
    high = np.maximum(high, low + FEASIBILITY_SLACK)
    step, _, flag, _ = daqp.solve(
        hessian,
        gradient,
        np.ascontiguousarray(matrix),
        np.concatenate([high, upper]),
        np.concatenate([low, np.full(len(upper), -1e30)]),
        kind,
    )
    return np.array(step) if flag > 0 and np.isfinite(step).all() else None


def _position_index(model: pin.Model, active: NDArray[np.intp]) -> NDArray[np.intp]:
    """Index into q of each active degree of freedom; -1 where it is not one number."""
    index = np.full(model.nv, -1)
    for joint in model.joints:
        if joint.nq == joint.nv == 1:
            index[joint.idx_v] = joint.idx_q
    return index[active]
