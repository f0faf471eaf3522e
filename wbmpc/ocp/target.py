"""The targets of an operator in the world, where the residuals need them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.reference import Reference
from wbmpc.robot import Robot


@dataclass(frozen=True, kw_only=True)
class Target:
    """A `Reference` on the stance it is meant for.

    Attributes:
        q_upper: (n,) spine and arm angles [rad], `Robot.joints(*UPPER_BODY)` order.
        v_upper: (n,) their velocities [rad/s].
        com_m: (3,) centre of mass in the world, loads included.
        bare_com_m: (3,) the same of the robot without loads.
        rotation_pelvis_to_world: (3, 3) pelvis orientation.
    """

    q_upper: Array
    v_upper: Array
    com_m: Array
    bare_com_m: Array
    rotation_pelvis_to_world: Array


def on_stance(
    reference: Reference,
    transform_midfoot_to_world: pin.SE3,
    *,
    sideways_m: float = 0.0,
) -> Target:
    """Place the parts of a reference that are given in the mid-foot frame.

    Args:
        reference: What is asked of the robot without loads.
        transform_midfoot_to_world: Where it stands.
        sideways_m: How far loads move its centre of mass to the left.
    """
    rotation = transform_midfoot_to_world.rotation
    bare_com_m = transform_midfoot_to_world.act(reference.com_m)
    return Target(
        q_upper=reference.q_upper,
        v_upper=reference.v_upper,
        com_m=bare_com_m + sideways_m * rotation[:, 1],
        bare_com_m=bare_com_m,
        rotation_pelvis_to_world=rotation @ reference.rotation_pelvis_to_midfoot,
    )


def com_bounds_m(robot: Robot) -> tuple[Array, Array]:
    """Least and greatest forward and left place (2,) of a held centre of mass [m].

    In the mid-foot frame: half of each sole's length, and 80 % of the way from the
    middle to a sole's centre, from where the other foot still carries a tenth.
    """
    middle, soles = midfoot_to_world(robot), sole_placements(robot, robot.home_q)
    centres = [middle.actInv(placement).translation for placement in soles.values()]
    ahead = 0.5 * min(sole.half_length_m for sole in robot.soles)
    aside = 0.8 * min(abs(float(centre[1])) for centre in centres)
    high = np.array([ahead, aside])
    return -high, high


def midfoot_to_world(robot: Robot) -> pin.SE3:
    """Placement in the world of the frame midway between the soles at home."""
    left, right = sole_placements(robot, robot.home_q).values()
    middle = pin.SE3.Interpolate(left, right, 0.5)
    return pin.SE3(middle.rotation, middle.translation)


def sole_placements(robot: Robot, q: Array) -> dict[str, pin.SE3]:
    """Placement of each sole in the world, by frame name."""
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, q)
    return {s.frame: pin.SE3(data.oMf[robot.frame_id(s.frame)]) for s in robot.soles}
