"""Contact wrenches from leg torques."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, Rows, frozen, require_positive
from ekf.errors import InvalidSettingError
from ekf.faults import (
    Fault,
    FaultKind,
    find_array_fault,
    find_configuration_fault,
    to_array,
)
from ekf.model_lookup import frame_ids, joint_rows, root_dofs


class WrenchStatus(Enum):
    """Whether the wrenches can be trusted, and if not, why."""

    OK = "ok"
    """Every leg was solved."""
    ILL_CONDITIONED = "ill_conditioned"
    """A leg is near a singular pose (a straight knee): its weak directions are zero."""
    NON_FINITE = "non_finite"
    """An input holds NaN or infinity; the wrenches are NaN."""
    DIMENSION = "dimension"
    """An input has the wrong shape; the wrenches are NaN."""
    CONFIGURATION = "configuration"
    """A quaternion in q does not have unit norm; the wrenches are NaN."""


_STATUS_OF_FAULT = {
    FaultKind.DIMENSION: WrenchStatus.DIMENSION,
    FaultKind.NON_FINITE: WrenchStatus.NON_FINITE,
    FaultKind.CONFIGURATION: WrenchStatus.CONFIGURATION,
}


@dataclass(frozen=True, kw_only=True)
class FootWrenches:
    """Contact wrenches of one sample. Arrays are read-only; n is the number of feet.

    Attributes:
        wrenches: (n, 6) [force, moment] on the foot, world axes, at the foot frame
            [N, Nm].
        condition: (n,) condition number of each leg's transposed Jacobian.
        rank: (n,) how many wrench components each leg determines; below 6 the others
            are the smallest ones that fit (a leg of five joints).
        status: Whether the wrenches can be trusted.
        reason: Why not; empty if they can.
    """

    wrenches: Array
    condition: Array
    rank: tuple[int, ...]
    status: WrenchStatus
    reason: str = ""

    @property
    def ok(self) -> bool:
        """Whether every leg was solved."""
        return self.status is WrenchStatus.OK


class LegTorqueWrench:
    r"""Solves each leg's torques for the contact wrench at its foot.

    .. math:: J_{leg,i}^T \lambda_i = \tau^{nom}_{leg} - \tau_{leg}

    with :math:`\tau^{nom}` a full RNEA: the legs' own weight, inertia and rotor
    armature are in it (without them a standing robot's legs seem to carry nothing of
    themselves, and their weight goes missing). Leg rows of RNEA do not depend on the
    inertia of the upper body, so a payload there does not disturb them.

    A leg is every joint between the root and the foot: six make a square solve, any
    other number least squares. Singular directions are dropped, and reported.

    Source: arXiv:2610.22176, Section III-D.
    """

    def __init__(
        self,
        model: pin.Model,
        foot_frames: Sequence[str],
        *,
        max_condition: float = 1e4,
    ) -> None:
        """Find the joints of each leg.

        Args:
            model: The robot; copied, never changed.
            foot_frames: Frame name of each foot; wrenches come in this order.
            max_condition: Above this condition number a leg counts as singular; its
                directions weaker than the strongest over this number are dropped.

        Raises:
            UnknownLinkError: If a foot is not a frame of the model.
            InvalidSettingError: If there is no foot, a foot has no leg, two feet share
                a leg joint, or ``max_condition`` is not finite and positive.
        """
        self._model = model.copy()
        self._data = self._model.createData()
        self._frame_ids = frame_ids(model, foot_frames)
        self._root_dofs = root_dofs(model)
        self._legs = _leg_rows(self._model, self._frame_ids)
        # Torques of other limbs do not enter, so a bad one must not spoil anything.
        self._needed = np.zeros(model.nv - self._root_dofs, dtype=bool)
        self._needed[np.concatenate(self._legs) - self._root_dofs] = True
        self._max_condition = require_positive("max_condition", max_condition)
        self._shapes = (
            ("q", (model.nq,)),
            ("v", (model.nv,)),
            ("a", (model.nv,)),
            ("tau_joints", (model.nv - self._root_dofs,)),
        )

    def solve(self, q: Any, v: Any, a: Any, tau_joints: Any) -> FootWrenches:
        """Contact wrenches of one sample. Never raises on data.

        The inputs must be aligned in time, as for the filter.

        Args:
            q: (nq,) configuration, Pinocchio's convention.
            v: (nv,) velocity.
            a: (nv,) time derivative of ``v``.
            tau_joints: (nv - 6,) actuated torques with a free-flyer, else (nv,) [Nm];
                only those of the legs are used.
        """
        arrays = [to_array(values) for values in (q, v, a, tau_joints)]
        if arrays[3].shape == self._needed.shape:
            arrays[3] = np.where(self._needed, arrays[3], 0.0)
        fault = find_array_fault(
            (name, array, shape)
            for (name, shape), array in zip(self._shapes, arrays, strict=True)
        ) or find_configuration_fault(self._model, arrays[0])
        if fault is not None:
            return self._refuse(fault)
        return self._solve(*arrays)

    def _solve(self, q: Array, v: Array, a: Array, tau_joints: Array) -> FootWrenches:
        missing = pin.rnea(self._model, self._data, q, v, a)
        missing[self._root_dofs :] -= tau_joints
        pin.computeJointJacobians(self._model, self._data, q)
        solved = [
            self._solve_leg(frame_id, rows, missing)
            for frame_id, rows in zip(self._frame_ids, self._legs, strict=True)
        ]
        wrenches, condition, rank = zip(*solved, strict=True)
        worst = int(np.argmax(condition))
        ok = condition[worst] <= self._max_condition
        reason = f"leg {worst}: condition {condition[worst]:.3g} is above the limit"
        return FootWrenches(
            wrenches=frozen(wrenches),
            condition=frozen(condition),
            rank=rank,
            status=WrenchStatus.OK if ok else WrenchStatus.ILL_CONDITIONED,
            reason="" if ok else reason,
        )

    def _solve_leg(
        self, frame_id: int, rows: Rows, missing: Array
    ) -> tuple[Array, float, int]:
        pin.updateFramePlacement(self._model, self._data, frame_id)
        jacobian = pin.getFrameJacobian(
            self._model, self._data, frame_id, pin.LOCAL_WORLD_ALIGNED
        )[:, rows]
        left, sizes, right = np.linalg.svd(jacobian.T, full_matrices=False)
        keep = sizes > sizes[0] / self._max_condition
        scaled = (left.T @ missing[rows])[keep] / sizes[keep]
        condition = sizes[0] / sizes[-1] if sizes[-1] > 0.0 else np.inf
        return right[keep].T @ scaled, float(condition), int(keep.sum())

    def _refuse(self, fault: Fault) -> FootWrenches:
        count = len(self._frame_ids)
        return FootWrenches(
            wrenches=frozen(np.full((count, 6), np.nan)),
            condition=frozen(np.full(count, np.nan)),
            rank=(0,) * count,
            status=_STATUS_OF_FAULT[fault.kind],
            reason=fault.reason,
        )


def _leg_rows(model: pin.Model, foot_ids: Sequence[int]) -> tuple[Rows, ...]:
    """Velocity rows of the joints between the root and each foot."""
    first = 2 if root_dofs(model) else 1
    legs: list[Rows] = []
    used: set[int] = set()
    for frame_id in foot_ids:
        frame = model.frames[frame_id]
        joints = [j for j in model.supports[frame.parentJoint] if j >= first]
        if not joints or used.intersection(joints):
            rule = "must hang on leg joints of its own, below the root"
            raise InvalidSettingError("foot_frames", frame.name, rule)
        used.update(joints)
        legs.append(joint_rows(model, joints))
    if not legs:
        raise InvalidSettingError("foot_frames", (), "must name at least one frame")
    return tuple(legs)
