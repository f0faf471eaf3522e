"""Limits of joints: reversed ones, and torques that the other side tells."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from models.description.check.limits import is_placeholder_effort
from models.description.check.symmetry import mirrored_name
from models.description.reading import Description, Joint
from models.description.repair.changes import Repair


def repair_limits(description: Description, element: ET.Element) -> list[Repair]:
    """Exchange reversed limits; take torques from the other side."""
    joint = description.joints.get(element.get("name", ""))
    limit = element.find("limit")
    if joint is None or joint.limit is None or limit is None or not joint.moves:
        return []
    return [*_reversed(joint, limit), *_effort(description, joint, limit)]


def _reversed(joint: Joint, limit: ET.Element) -> list[Repair]:
    assert joint.limit is not None
    lower, upper = joint.limit.lower or 0.0, joint.limit.upper or 0.0
    if joint.kind == "continuous" or not lower > upper:
        return []
    limit.set("lower", f"{upper:.9g}")
    limit.set("upper", f"{lower:.9g}")
    return [
        Repair(
            where=f"joint {joint.name}: position limits",
            old=f"lower {lower:g}, upper {upper:g}",
            new=f"lower {upper:g}, upper {lower:g}",
            reason="exchanged",
        )
    ]


def _effort(description: Description, joint: Joint, limit: ET.Element) -> list[Repair]:
    twin = description.joints.get(mirrored_name(joint.name))
    if twin is None or twin.name == joint.name or _effort_is_real(joint):
        return []
    if not _effort_is_real(twin):
        return []
    assert twin.limit is not None and twin.limit.effort is not None
    old, new = limit.get("effort", "missing"), f"{twin.limit.effort:g}"
    limit.set("effort", new)
    where, reason = f"joint {joint.name}: effort limit", f"that of joint {twin.name}"
    return [Repair(where=where, old=old, new=new, reason=reason)]


def _effort_is_real(joint: Joint) -> bool:
    effort = None if joint.limit is None else joint.limit.effort
    if effort is None or not 0.0 < effort < np.inf:
        return False
    return not is_placeholder_effort(joint, effort)
