"""Limits of joints: one meaning in controller and plant, and no placeholders unsaid.

Positions: none (continuous joints, infinite ones) is no limit. Torques: a finite number
above zero, because 0, missing and infinite mean opposite things in different programs.
Speeds: no program here limits them; what is unusable is read as no limit. What is no
number was reported when it was read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from models.description.findings import Finding, error, warning
from models.description.reading import Description, Joint, Limit

PLACEHOLDER_EFFORT_NM = 1000.0
"""No joint of a robot one can buy turns with this torque."""
PLACEHOLDER_FORCE_N = 10_000.0
PLACEHOLDER_SPEED = 100.0
"""rad/s or m/s; no joint of a legged robot is this fast."""
PLACEHOLDER_POSITION = 20.0
"""rad or m, more than three turns; 90 or 180 are degrees."""
LOCKED_RULE = (
    "lock the joint: name it in groups.welded of the settings, or make its type fixed"
)
SMALLEST_RANGE = 1e-4
"""rad or m; a joint with less room is locked."""
_NO_LIMITS = Limit(lower=None, upper=None, effort=None, velocity=None)


def check_limits(description: Description) -> Iterator[Finding]:
    """Position, torque and speed of each moving joint."""
    for joint in description.joints.values():
        if joint.moves:
            limit = joint.limit or _NO_LIMITS
            if joint.kind != "continuous":
                yield from _position(joint, limit)
            yield from _effort(joint, limit.effort)
            yield from _velocity(joint, limit.velocity)


def locked_positions(description: Description) -> dict[str, float]:
    """Position [rad or m] by name of joints whose limits leave them one only."""
    return {
        joint.name: joint.limit.lower
        for joint in description.joints.values()
        if joint.moves and joint.kind != "continuous" and joint.mimic is None
        if joint.limit is not None and joint.limit.lower is not None
        if joint.limit.upper is not None and math.isfinite(joint.limit.lower)
        if 0.0 <= joint.limit.upper - joint.limit.lower < SMALLEST_RANGE
    }


def is_placeholder_effort(joint: Joint, effort: float) -> bool:
    """Whether an effort limit [Nm or N] is larger than any machine's."""
    if joint.kind == "prismatic":
        return effort >= PLACEHOLDER_FORCE_N
    return effort >= PLACEHOLDER_EFFORT_NM


def _position(joint: Joint, limit: Limit) -> Iterator[Finding]:
    where = f"joint {joint.name}: position limits"
    lower, upper = limit.lower or 0.0, limit.upper or 0.0
    value = f"lower {lower:g}, upper {upper:g}"
    if math.isnan(lower) or math.isnan(upper):
        return
    if joint.limit is None:
        rule = f"a {joint.kind} joint must have a <limit> element"
        yield error(f"joint {joint.name}: limit", "missing", rule)
    elif limit.lower is None and limit.upper is None:
        rule = "both are missing, which means 0: no room to move; write both"
        yield error(where, value, rule)
    elif math.isfinite(lower) and 0.0 <= upper - lower < SMALLEST_RANGE:
        yield error(where, value, LOCKED_RULE)
    elif not lower < upper:
        yield error(where, value, "the lower limit must be below the upper one")
    elif math.isinf(lower) or math.isinf(upper):
        yield warning(where, value, "infinite: read as no position limit")
    elif max(abs(lower), abs(upper)) > PLACEHOLDER_POSITION:
        rule = "looks like a placeholder, or like degrees where radians must stand"
        yield warning(where, value, rule)


def _effort(joint: Joint, effort: float | None) -> Iterator[Finding]:
    where = f"joint {joint.name}: effort limit"
    if effort is None:
        if joint.limit is not None or joint.kind == "continuous":
            yield error(where, "missing", "must be finite and > 0")
    elif not (math.isnan(effort) or 0.0 < effort < math.inf):
        yield error(where, f"{effort:g}", "must be finite and > 0")
    elif is_placeholder_effort(joint, effort):
        rule = "looks like a placeholder; controller and plant use it as it stands"
        yield warning(where, f"{effort:g}", rule)


def _velocity(joint: Joint, velocity: float | None) -> Iterator[Finding]:
    where = f"joint {joint.name}: velocity limit"
    if velocity is None:
        if joint.limit is not None:
            yield warning(where, "missing", "read as no velocity limit")
    elif not (math.isnan(velocity) or 0.0 < velocity < math.inf):
        yield warning(where, f"{velocity:g}", "read as no velocity limit")
    elif velocity >= PLACEHOLDER_SPEED:
        yield warning(where, f"{velocity:g}", "looks like a placeholder")
