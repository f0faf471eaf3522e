"""Keeps the arms from each other and from the trunk.

Trunk, upper arms and forearms are capsules, several where a limb has joints along it.
For a pair at distance d with witness points a, b and normal n from a to b, the distance
changes by n . (J_b - J_a) Delta in one tick; it may use half of what is left above the
margin.
"""

from __future__ import annotations

from itertools import product

import coal
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from models.arrays import Array
from teleop.elbow import arm_joints, elbow_place
from teleop.ik import Inequalities
from teleop.settings import CollisionSettings
from wbmpc.robot import Robot

APPROACH = 0.5
"""Share of the free distance that one tick may use."""


class ArmCollisions:
    """Capsules of one robot's upper body."""

    def __init__(self, robot: Robot, settings: CollisionSettings) -> None:
        """Lay capsules along the arms and the trunk."""
        self._settings, self._model = settings, robot.model
        self._data = robot.model.createData()
        self._shapes = pin.GeometryModel()
        self._add_trunk(robot)
        for side in robot.arms:
            self._add_arm(robot, side)
        self._add_pairs()
        self._distances = self._shapes.createData()

    def distance_m(self, q: Array) -> float:
        """Smallest distance between the surfaces of any pair."""
        self._update(q)
        return min(r.min_distance for r in self._distances.distanceResults)

    def inequalities(self, q: Array, active: NDArray[np.intp]) -> Inequalities:
        """What keeps every near pair apart in the next tick.

        Args:
            q: (nq,) configuration of `Robot.model`.
            active: Indices of the degrees of freedom that may move.
        """
        self._update(q)
        pin.computeJointJacobians(self._model, self._data, q)
        rows, upper = [], []
        pairs = zip(
            self._shapes.collisionPairs, self._distances.distanceResults, strict=True
        )
        for pair, result in pairs:
            free_m = result.min_distance - self._settings.margin_m
            if free_m > self._settings.range_m:
                continue
            row = self._closing(pair, result)[active]
            rows.append(row)
            upper.append(max(0.0, APPROACH * free_m))
        matrix = np.array(rows).reshape(len(rows), len(active))
        return Inequalities(matrix=matrix, upper=np.array(upper))

    def _update(self, q: Array) -> None:
        pin.forwardKinematics(self._model, self._data, q)
        pin.computeDistances(self._model, self._data, self._shapes, self._distances, q)

    def _closing(self, pair: pin.CollisionPair, result: coal.DistanceResult) -> Array:
        """(nv,) by how much a velocity brings a pair closer."""
        first, second = result.getNearestPoint1(), result.getNearestPoint2()
        normal = np.array(result.normal)  # from the first to the second, unit length
        velocities = [
            self._point_jacobian(index, point)
            for index, point in ((pair.first, first), (pair.second, second))
        ]
        closing: Array = normal @ (velocities[0] - velocities[1])
        return closing

    def _point_jacobian(self, shape: int, point: Array) -> Array:
        """(3, nv) velocity of a point of a shape, world axes."""
        joint = self._shapes.geometryObjects[shape].parentJoint
        jacobian = pin.getJointJacobian(
            self._model, self._data, joint, pin.LOCAL_WORLD_ALIGNED
        )
        arm = point - self._data.oMi[joint].translation
        linear: Array = jacobian[:3] - pin.skew(arm) @ jacobian[3:]
        return linear

    def _add_trunk(self, robot: Robot) -> None:
        settings = self._settings
        first = self._model.getJointId(arm_joints(robot, "left")[0])
        joint = int(self._model.parents[first])
        top = np.array([0.0, 0.0, settings.trunk_above_m])
        self._add("trunk", joint, np.zeros(3), top, settings.trunk_radius_m)

    def _add_arm(self, robot: Robot, side: str) -> None:
        """Capsules along every long enough piece of an arm, from joint to joint.

        The piece between the first two joints is the shoulder's. One that is shorter
        than its capsule is thick lies within its neighbours' ends, but the last always
        has one: wrists of several joints at one point have pieces of no length.
        """
        tip = self._model.frames[robot.frame_id(robot.arms[side].tip_frame)]
        chain = self._chain(robot, side, tip.parentJoint)
        ends = [self._model.jointPlacements[joint].translation for joint in chain[1:]]
        joint = arm_joints(robot, side)[elbow_place(robot, side)]
        elbow = chain.index(self._model.getJointId(joint))
        for place, end in enumerate([*ends, tip.placement.translation]):
            part = "upper" if place < elbow else "fore"
            radius_m = (
                self._settings.upper_arm_radius_m
                if place < elbow
                else self._settings.forearm_radius_m
            )
            is_long = place > 0 and np.linalg.norm(end) > radius_m
            if is_long or place == len(ends):
                name = f"{side}_{part}_{place}"
                self._add(name, chain[place], np.zeros(3), end, radius_m)

    def _chain(self, robot: Robot, side: str, last: int) -> list[int]:
        """Joints from an arm's first to the one that carries its tip."""
        first = self._model.getJointId(arm_joints(robot, side)[0])
        chain = [int(last)]
        while chain[0] != first and chain[0] > 0:
            chain.insert(0, int(self._model.parents[chain[0]]))
        return chain

    def _add(
        self, name: str, joint: int, start: Array, end: Array, radius_m: float
    ) -> None:
        """A capsule along the segment from start to end, in the frame of a joint."""
        along = end - start
        length = float(np.linalg.norm(along))
        turn = pin.Quaternion.Identity()
        if length > 0.0:  # else it is a ball
            turn = pin.Quaternion.FromTwoVectors(
                np.array([0.0, 0.0, 1.0]), along / length
            )
        placement = pin.SE3(turn.toRotationMatrix(), 0.5 * (start + end))
        shape = coal.Capsule(radius_m, length)
        self._shapes.addGeometryObject(
            pin.GeometryObject(name, joint, placement, shape)
        )

    def _add_pairs(self) -> None:
        """Forearms with each other, the trunk and the other upper arm."""
        pairs = [("left_fore", "right_fore")]
        pairs += product(("trunk",), ("left_fore", "right_fore"))
        pairs += [("left_fore", "right_upper"), ("left_upper", "right_fore")]
        for parts in pairs:
            for ids in product(*map(self._pieces, parts)):
                self._shapes.addCollisionPair(pin.CollisionPair(*ids))

    def _pieces(self, part: str) -> list[int]:
        """Indices of the capsules of a part."""
        names = [shape.name for shape in self._shapes.geometryObjects]
        return [i for i, name in enumerate(names) if name.startswith(part)]
