"""The washing motion as a recorded reference track (arXiv:2610.22176, IV-A1)."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from models.arrays import Array
from scenarios.library.motions.body_scale import reach_ratio
from scenarios.library.motions.gestures import stream_times, stream_velocities
from scenarios.library.motions.inverse_kinematics import solve_arms
from teleop.reference_track import ReferenceTrack
from wbmpc.errors import RobotError
from wbmpc.min_jerk import min_jerk
from wbmpc.reference import UPPER_BODY, home_reference
from wbmpc.robot import Robot

PATH_SHARES = (1.0, 0.85, 0.7, 0.55, 0.4)
"""Of the scaled path, tried in this order until the arms reach all of it."""
PATH_POINTS = 24


class WashingMotion(msgspec.Struct, frozen=True, kw_only=True):
    """Both forearm tips circle in a frontal plane, mirrored, as on a window."""

    reach_m: float = 0.10
    """Plane ahead of the tips' home position."""
    lift_m: float = 0.10
    """Centre of the path above the tips' home position."""
    half_width_m: float = 0.12
    half_height_m: float = 0.10
    period_s: float = 4.0
    approach_s: float = 2.0
    """Smooth move from home to the path."""


def record_washing(
    robot: Robot, duration_s: float, motion: WashingMotion | None = None
) -> ReferenceTrack:
    """Record both tips circling in a frontal plane for a pelvis at home.

    Args:
        robot: Robot description.
        duration_s: Length of the record.
        motion: The path; by default the paper's, scaled by reach.

    Raises:
        RobotError: The path leaves the arms' reach.
    """
    motion = suited_motion(robot) if motion is None else motion
    joints = robot.joints(*UPPER_BODY)
    centres = _centres(robot, motion)
    times = stream_times(duration_s)
    q, rows = robot.home_q, []
    for time_s in times:
        tips = {
            side: _tip(centre, _mirror(side), time_s, motion)
            for side, centre in centres.items()
        }
        q = solve_arms(robot, tips, q)
        rows.append(q[7 + joints])
    q_washing = np.array(rows)
    share = min_jerk(times / motion.approach_s)[:, None]
    q_upper = robot.home_q[7 + joints] * (1.0 - share) + q_washing * share
    return ReferenceTrack(
        standing=home_reference(robot),
        q_upper=q_upper,
        v_upper=stream_velocities(q_upper),
    )


def suited_motion(robot: Robot) -> WashingMotion:
    """The paper's motion scaled by reach, smaller where the arms do not get to.

    Raises:
        RobotError: Even a small path leaves the arms' reach.
    """
    for share in PATH_SHARES[:-1]:
        motion = _scaled(share * reach_ratio(robot))
        try:
            _check_path(robot, motion)
        except RobotError:
            continue
        return motion
    motion = _scaled(PATH_SHARES[-1] * reach_ratio(robot))
    _check_path(robot, motion)
    return motion


def _scaled(factor: float) -> WashingMotion:
    """The paper's motion with its lengths times a factor."""
    papers = WashingMotion()
    lengths = ("reach_m", "lift_m", "half_width_m", "half_height_m")
    return msgspec.structs.replace(
        papers, **{name: factor * getattr(papers, name) for name in lengths}
    )


def _check_path(robot: Robot, motion: WashingMotion) -> None:
    """Refuse a path that leaves the arms' reach."""
    centres, q = _centres(robot, motion), robot.home_q
    for time_s in np.linspace(0.0, motion.period_s, PATH_POINTS, endpoint=False):
        tips = {
            side: _tip(centre, _mirror(side), float(time_s), motion)
            for side, centre in centres.items()
        }
        q = solve_arms(robot, tips, q)


def _centres(robot: Robot, motion: WashingMotion) -> dict[str, Array]:
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, robot.home_q)
    offset = np.array([motion.reach_m, 0.0, motion.lift_m])
    return {
        side: data.oMf[robot.frame_id(arm.tip_frame)].translation + offset
        for side, arm in robot.arms.items()
    }


def _mirror(side: str) -> float:
    return 1.0 if side == "left" else -1.0


def _tip(centre: Array, mirror: float, time_s: float, motion: WashingMotion) -> Array:
    phase = 2.0 * np.pi * time_s / motion.period_s
    sweep = np.array(
        [
            0.0,
            mirror * motion.half_width_m * np.sin(phase),
            motion.half_height_m * np.cos(phase),
        ]
    )
    return centre + sweep
