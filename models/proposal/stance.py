"""Leg angles of a home pose that stands."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from models.errors import ProposalError
from models.limb_root import crossing_m
from models.proposal.feet import Foot
from models.proposal.grouping import Limbs
from models.proposal.solve import least_squares
from models.proposal.tree import Tree

Array = NDArray[np.float64]

KNEE_BENDS_RAD = (0.8, 0.65, 0.5, 0.35, 0.2)
"""Tried in this order; the first is the shipped robot's."""
TORQUE_SHARE = 0.6
"""Of each effort limit that standing still may take."""
MISS = 1e-3
"""Largest angle [rad] and distance [m] by which feet may miss their place."""
_HARD, _KNEE, _SMALL = 100.0, 1.0, 0.03
_LIMIT_MARGIN_RAD = 0.03


@dataclass(frozen=True, kw_only=True)
class Stance:
    """A pose that stands.

    Attributes:
        angles: Leg angles [rad] by joint name.
        com_height_m: Centre of mass above the soles.
        knee_rad: How far the knees are bent.
        torque_share: Largest share of an effort limit that standing takes.
        busiest: The joint it is needed at.
    """

    angles: dict[str, float]
    com_height_m: float
    knee_rad: float
    torque_share: float
    busiest: str


def find_stance(
    tree: Tree, limbs: Limbs, feet: tuple[Foot, Foot], upper: Mapping[str, float]
) -> Stance:
    """Bend the knees as far as torques allow, feet flat under the centre of mass.

    Args:
        tree: The robot.
        limbs: Its parts.
        feet: Its soles.
        upper: Angles [rad] of all other joints by name; the rest at 0.

    Raises:
        ProposalError: The feet cannot be flat, or standing takes too much torque.
    """
    search = _StanceSearch(tree, limbs, feet, upper)
    stances = []
    for knee_rad in KNEE_BENDS_RAD:
        stance = search.solve(knee_rad)
        if stance is None:
            continue
        if stance.torque_share <= TORQUE_SHARE:
            return stance
        stances.append(stance)
    if not stances:
        raise ProposalError(
            f"{tree.model.name}: found no pose with both feet flat under the centre of "
            "mass within the leg joints' limits"
        )
    least = min(stances, key=lambda stance: stance.torque_share)
    raise ProposalError(
        f"{tree.model.name}: standing takes {100 * least.torque_share:.0f} % of the "
        f"effort limit of {least.busiest}, may take {100 * TORQUE_SHARE:.0f} %"
    )


class _StanceSearch:
    """Residuals of the leg angles, base upright."""

    def __init__(
        self,
        tree: Tree,
        limbs: Limbs,
        feet: tuple[Foot, Foot],
        upper: Mapping[str, float],
    ) -> None:
        self._tree, self._model = tree, tree.model
        self._data = tree.model.createData()
        self._legs = (*limbs.legs[0], *limbs.legs[1])
        self._ankles = (limbs.legs[0][-1], limbs.legs[1][-1])
        self._feet = feet
        self._rest = pin.neutral(self._model)
        for name, angle in upper.items():
            self._rest[tree.index_q(self._model.getJointId(name))] = angle
        self._indices = np.array([tree.index_q(joint) for joint in self._legs])
        low, high = tree.limits(self._legs)
        self._low = np.maximum(low, -np.pi) + _LIMIT_MARGIN_RAD
        self._high = np.minimum(high, np.pi) - _LIMIT_MARGIN_RAD
        self._knees = [_knee(tree, leg) for leg in limbs.legs]
        # As far apart as straight legs put them.
        pin.forwardKinematics(self._model, self._data, self._rest)
        self._sideways = [sole.translation[1] for sole in self._soles()]

    def solve(self, knee_rad: float) -> Stance | None:
        """The pose for a knee bend; None if the feet do not come flat."""
        start = np.zeros(len(self._legs))
        for index, (knee, sign) in enumerate(self._knees):
            start[6 * index + knee] = sign * knee_rad
        residual = functools.partial(self._residual, knee_rad=knee_rad)
        angles, _ = least_squares(residual, start, self._low, self._high)
        if np.abs(self._misses(angles)).max() > MISS:
            return None
        share, busiest = self._torque_share(angles)
        pin.centerOfMass(self._model, self._data, self._q(angles))
        floor = np.mean([sole.translation[2] for sole in self._soles()])
        return Stance(
            angles=dict(
                zip(self._tree.names(self._legs), angles.tolist(), strict=True)
            ),
            com_height_m=float(self._data.com[0][2] - floor),
            knee_rad=knee_rad,
            torque_share=share,
            busiest=busiest,
        )

    def _residual(self, angles: Array, knee_rad: float) -> Array:
        """What must be met, then knees bent, then small angles."""
        knees = [
            angles[6 * index + knee] - sign * knee_rad
            for index, (knee, sign) in enumerate(self._knees)
        ]
        misses = _HARD * self._misses(angles)
        return np.concatenate([misses, _KNEE * np.array(knees), _SMALL * angles])

    def _misses(self, angles: Array) -> Array:
        """(11,) feet flat [rad], level, side by side, under the centre of mass [m]."""
        com = pin.centerOfMass(self._model, self._data, self._q(angles))
        left, right = self._soles()
        flat = [pin.log3(sole.rotation) for sole in (left, right)]
        apart = left.translation - right.translation
        ahead = 0.5 * (left.translation + right.translation) - com
        sideways = [
            sole.translation[1] - wanted
            for sole, wanted in zip((left, right), self._sideways, strict=True)
        ]
        rows = [*flat[0], *flat[1], apart[0], apart[2], ahead[0], *sideways]
        return np.array(rows)

    def _q(self, angles: Array) -> Array:
        q = self._rest.copy()
        q[self._indices] = angles
        return q

    def _soles(self) -> list[pin.SE3]:
        """Placements after the last kinematics."""
        return [
            self._data.oMi[ankle] * foot.ankle_to_sole
            for ankle, foot in zip(self._ankles, self._feet, strict=True)
        ]

    def _torque_share(self, angles: Array) -> tuple[float, str]:
        """Largest share of an effort limit, each foot carrying what least force asks.

        g = S^T tau + J^T lambda with the smallest lambda that holds the base.
        """
        model, data, q = self._model, self._data, self._q(angles)
        gravity = np.array(pin.computeGeneralizedGravity(model, data, q))
        pin.computeJointJacobians(model, data, q)
        jacobians = []
        for ankle, foot in zip(self._ankles, self._feet, strict=True):
            sole = data.oMi[ankle] * foot.ankle_to_sole
            inside = sole.actInv(data.oMi[ankle])
            jacobians.append(
                inside.action @ pin.getJointJacobian(model, data, ankle, pin.LOCAL)
            )
        jacobian = np.vstack(jacobians)
        forces = np.linalg.pinv(jacobian[:, :6].T) @ gravity[:6]
        torque = gravity - jacobian.T @ forces
        shares = {
            joint: abs(torque[model.joints[joint].idx_v]) / self._tree.effort(joint)
            for joint in self._legs
        }
        busiest = max(shares, key=lambda joint: shares[joint])
        return float(shares[busiest]), self._tree.name(busiest)


def _knee(tree: Tree, leg: tuple[int, ...]) -> tuple[int, float]:
    """Place of the knee in a leg, and the sign of its bend.

    The knee is the joint that shortens the leg most; it bends where its limits give it
    more room.
    """
    model, data = tree.model, tree.model.createData()
    shortest = []
    for joint in leg:
        (low,), (high,) = tree.limits((joint,))
        sign = 1.0 if high > -low else -1.0
        q = pin.neutral(model)
        q[tree.index_q(joint)] = sign * KNEE_BENDS_RAD[0]
        pin.forwardKinematics(model, data, q)
        hip = crossing_m(model, data, leg[0], leg[1])
        ankle = data.oMi[leg[-1]].translation
        shortest.append((float(np.linalg.norm(ankle - hip)), sign))
    knee = min(range(len(leg)), key=lambda index: shortest[index][0])
    return knee, shortest[knee][1]
