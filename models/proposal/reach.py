"""Arm angles of the poses that scenarios start from and ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from models.errors import ProposalError
from models.frame_names import lock_joints
from models.proposal.grouping import Limbs
from models.proposal.hands import Hand
from models.proposal.solve import least_squares
from models.proposal.tree import ROOT, Tree

Array = NDArray[np.float64]

TIP_TOLERANCE = 0.05
"""Largest distance from the target, in arm lengths."""
REACH_SHARES = (1.0, 0.95, 0.9, 0.85, 0.8, 0.7)
"""Of a target's distance from the shoulder, tried in this order."""
_STARTS = 8
_SEED = 0
_TIP_WEIGHT, _FOREARM_WEIGHT = 100.0, 0.5
_POSTURE_WEIGHT, _TORQUE_WEIGHT = 0.1, 0.3
_LIMIT_MARGIN_RAD = 0.05


@dataclass(frozen=True, kw_only=True)
class ArmTarget:
    """Where a left tip is, in arm lengths from the shoulder; the right one mirrors it.

    Attributes:
        tip: (3,) from the first shoulder joint, torso upright.
        forearm: (3,) direction from elbow to tip.
    """

    tip: tuple[float, float, float]
    forearm: tuple[float, float, float]


def arm_length_m(tree: Tree, arm: tuple[int, ...], elbow: int, hand: Hand) -> float:
    """Upper arm plus forearm, from the first shoulder joint to the tip."""
    shoulder, bend = tree.limb_root_m(arm), tree.position_m(arm[elbow])
    tip = tree.placements[hand.joint].act(hand.joint_to_tip.translation)
    return float(np.linalg.norm(bend - shoulder) + np.linalg.norm(tip - bend))


class ArmSolver:
    """Finds arm angles for both arms of a robot."""

    def __init__(self, tree: Tree, limbs: Limbs, hands: tuple[Hand, Hand]) -> None:
        """Measure the arms."""
        self._tree, self._limbs, self._hands = tree, limbs, hands
        self.length_m = [
            arm_length_m(tree, arm, elbow, hand)
            for arm, elbow, hand in zip(limbs.arms, limbs.elbows, hands, strict=True)
        ]

    def angles(
        self, left: ArmTarget, right: ArmTarget, *, wrists: bool
    ) -> dict[str, float]:
        """Angles [rad] of every moved arm joint by name.

        Within the limits, near their middle, with little torque; the least costly of
        several searches from seeded starts.

        Args:
            left: Of the left tip.
            right: Of the right tip, as if it were the left one.
            wrists: Whether wrist joints may move; else they stay at 0, or as near as
                their limits allow.

        Raises:
            ProposalError: A tip stays too far from its target.
        """
        angles = self._solve(0, left, None, wrists=wrists)
        # From the mirror image, so that arms that can mirror each other do.
        image = self._mirrored(angles) if left == right else None
        return angles | self._solve(1, right, image, wrists=wrists)

    def _mirrored(self, left: dict[str, float]) -> Array:
        """Angles of the right arm that mirror those of the left one."""
        tree, flip = self._tree, np.array([-1.0, 1.0, -1.0])
        signs = [
            np.sign(tree.axis(b) @ (flip * tree.axis(a)))
            for a, b in zip(*self._limbs.arms, strict=True)
        ]
        names = tree.names(self._limbs.arms[0])
        return np.array([s * left[n] for s, n in zip(signs, names, strict=True)])

    def _solve(
        self, index: int, target: ArmTarget, start: Array | None, *, wrists: bool
    ) -> dict[str, float]:
        """Angles of one arm; out of reach, the target comes nearer to the shoulder."""
        mirror = np.array([1.0, 1.0 if index == 0 else -1.0, 1.0])
        arm, elbow = self._limbs.arms[index], self._limbs.elbows[index]
        moved = arm if wrists else arm[: elbow + 1]
        shoulder, length_m = self._tree.limb_root_m(arm), self.length_m[index]
        for share in REACH_SHARES:
            tip_m = shoulder + share * length_m * mirror * np.array(target.tip)
            search = _ArmSearch(
                self._tree,
                arm,
                moved,
                arm[elbow],
                self._hands[index],
                tip_m,
                mirror * np.array(target.forearm),
            )
            angles, miss_m = search.best(start)
            if miss_m <= TIP_TOLERANCE * length_m:
                return angles
        joint, share = search.weakest(angles)
        if share > 1.0:
            raise ProposalError(
                f"{self._tree.model.name}: the arm that ends at "
                f"{self._tree.name(arm[-1])} is too weak to be held where a pose needs "
                f"it: {1e3 * miss_m:.0f} mm from there, holding it takes "
                f"{100 * share:.0f} % of the effort limit of {joint}"
            )
        raise ProposalError(
            f"{self._tree.model.name}: the arm that ends at {self._tree.name(arm[-1])} "
            f"stays {1e3 * miss_m:.0f} mm from where a pose needs it, may stay "
            f"{1e3 * TIP_TOLERANCE * length_m:.0f} mm"
        )


class _ArmSearch:
    """Angles of one arm, everything else locked."""

    def __init__(
        self,
        tree: Tree,
        arm: tuple[int, ...],
        moved: tuple[int, ...],
        elbow: int,
        hand: Hand,
        tip_m: Array,
        forearm: Array,
    ) -> None:
        whole = tree.model
        rest = [j for j in range(ROOT + 1, whole.njoints) if j not in arm]
        self._model = lock_joints(whole, rest, pin.neutral(whole))
        self._data = self._model.createData()
        self._names = tree.names(moved)
        self._elbow, self._last = (
            self._model.getJointId(tree.name(j)) for j in (elbow, hand.joint)
        )
        self._tip = hand.joint_to_tip.translation
        self._tip_m, self._forearm = tip_m, forearm
        joints = [self._model.joints[self._model.getJointId(n)] for n in self._names]
        self._columns = np.array([joint.idx_q for joint in joints])
        self._rows = np.array([joint.idx_v for joint in joints])
        self._effort = np.array([tree.effort(joint) for joint in moved])
        low, high = tree.limits(moved)
        low, high = np.maximum(low, -np.pi), np.minimum(high, np.pi)
        self._middle, self._half = 0.5 * (low + high), 0.5 * (high - low)
        margin = np.minimum(_LIMIT_MARGIN_RAD, 0.2 * self._half)
        self._low, self._high = low + margin, high - margin
        # Wrists that do not move stay at 0, or as near as their limits allow.
        self._q = pin.neutral(self._model)
        self._q[7:] = np.clip(
            0.0, self._model.lowerPositionLimit[7:], self._model.upperPositionLimit[7:]
        )
        self._reach_m = float(np.linalg.norm(tip_m - tree.limb_root_m(arm)))

    def best(self, start: Array | None) -> tuple[dict[str, float], float]:
        """Least costly angles by name, and the miss [m].

        Args:
            start: (n,) of the whole arm, where to search; None for several searches.
        """
        rng = np.random.default_rng(_SEED)
        starts = [np.zeros(len(self._names))]
        starts += [rng.uniform(self._low, self._high) for _ in range(_STARTS)]
        if start is not None:
            starts = [start[: len(self._names)]]
        found = [
            least_squares(self._residual, start, self._low, self._high)
            for start in starts
        ]
        angles = min(found, key=lambda pair: pair[1])[0]
        miss_m = float(np.linalg.norm(self._ends(angles)[0] - self._tip_m))
        still = dict(zip(self._model.names[2:], self._q[7:].tolist(), strict=True))
        return still | dict(zip(self._names, angles.tolist(), strict=True)), miss_m

    def weakest(self, angles: Mapping[str, float]) -> tuple[str, float]:
        """Joint that holding the arm takes most of, and the share of its limit."""
        self._q[self._columns] = [angles[name] for name in self._names]
        gravity = pin.computeGeneralizedGravity(self._model, self._data, self._q)
        shares = np.abs(gravity[self._rows]) / self._effort
        busiest = int(np.argmax(shares))
        return self._names[busiest], float(shares[busiest])

    def _residual(self, angles: Array) -> Array:
        tip, forearm = self._ends(angles)
        gravity = pin.computeGeneralizedGravity(self._model, self._data, self._q)
        return np.concatenate(
            [
                _TIP_WEIGHT * (tip - self._tip_m) / self._reach_m,
                _FOREARM_WEIGHT * (forearm - self._forearm),
                _POSTURE_WEIGHT * (angles - self._middle) / self._half,
                _TORQUE_WEIGHT * gravity[self._rows] / self._effort,
            ]
        )

    def _ends(self, angles: Array) -> tuple[Array, Array]:
        """Tip and direction of the forearm."""
        self._q[self._columns] = angles
        pin.forwardKinematics(self._model, self._data, self._q)
        tip = self._data.oMi[self._last].act(self._tip)
        forearm = tip - self._data.oMi[self._elbow].translation
        return tip, forearm / np.linalg.norm(forearm)
