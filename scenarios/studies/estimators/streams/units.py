"""Whether a log is in radians and seconds: an estimate of another log is nonsense."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ekf import JointLog
from models.arrays import Array
from scenarios.errors import ScenarioError

BEYOND = 0.1
"""Of a joint's range, by which a position may lie outside its limits."""
ODD_SHARE = 0.1
"""Of the samples, outside the limits, above which a log is refused."""
SLOWEST_S = 1.0
"""Between samples; a log of a moving robot has more than one a second."""
ODD_RATIO = 20.0
"""Between velocities and the changes of positions, either way."""
MOVING = 1e-3
"""Speed below which nothing can be compared [rad/s]."""


def check_units(log: JointLog, model: pin.Model, place: str) -> tuple[str, ...]:
    """Compare positions with limits, times with each other, velocities with positions.

    Args:
        log: The samples, at least two.
        model: The robot.
        place: The log's name, for messages.

    Returns:
        What is odd, but not enough to refuse the log.

    Raises:
        ScenarioError: More than a tenth of the samples have a joint outside its limits,
            samples are more than a second apart, or velocities are twenty times larger
            or smaller than positions change.
    """
    step_s = float(np.median(np.diff(log.time_s)))
    if step_s > SLOWEST_S:
        raise ScenarioError(
            f"{place}: time: {step_s:g} s from sample to sample: must be below "
            f"{SLOWEST_S:g} s (milliseconds? time_scale = 1e-3 in --columns)"
        )
    remarks = _check_limits(log, model, place)
    _check_speeds(log, model, place)
    return remarks


def _check_limits(log: JointLog, model: pin.Model, place: str) -> tuple[str, ...]:
    outside, worst = np.zeros(len(log), dtype=bool), (0.0, "")
    for joint in list(model.joints)[1:]:
        if joint.nq != 1 or joint.nv != 1:
            continue
        low = model.lowerPositionLimit[joint.idx_q]
        high = model.upperPositionLimit[joint.idx_q]
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            continue
        q, margin = log.q[:, joint.idx_q], BEYOND * (high - low)
        out = (q < low - margin) | (q > high + margin)
        outside |= out
        sentence = (
            f"{model.names[joint.id]} goes from {q.min():.3g} to {q.max():.3g}, its "
            f"limits are {low:.3g} and {high:.3g} rad or m"
        )
        worst = max(worst, (float(out.mean()), sentence))
    share = float(outside.mean())
    if share > ODD_SHARE:
        raise ScenarioError(
            f"{place}: positions: {share:.0%} of the samples lie outside the joint "
            f"limits: {worst[1]} (degrees? q_scale = 0.0174533 in --columns)"
        )
    if share > 0.0:
        return (f"{share:.1%} of the samples lie outside the joint limits: {worst[1]}",)
    return ()


def _check_speeds(log: JointLog, model: pin.Model, place: str) -> None:
    """Velocities and changes of position of all joints of one degree of freedom."""
    joints = [j for j in list(model.joints)[1:] if j.nq == 1 and j.nv == 1]
    rows_q, rows_v = [j.idx_q for j in joints], [j.idx_v for j in joints]
    change = np.diff(log.q[:, rows_q], axis=0) / np.diff(log.time_s)[:, None]
    moved, told = _speed(change), _speed(log.v[:, rows_v])
    if min(moved, told) < MOVING:
        return
    ratio = told / moved
    if not 1.0 / ODD_RATIO < ratio < ODD_RATIO:
        raise ScenarioError(
            f"{place}: velocities are {ratio:.3g} times what positions change by in a "
            "second: time, positions and velocities must be in s, rad and rad/s (see "
            "time_scale, q_scale and v_scale of --columns)"
        )


def _speed(values: Array) -> float:
    """Middle of the speeds of the joint that moves most [rad/s]."""
    return float(np.max(np.median(np.abs(values), axis=0), initial=0.0))
