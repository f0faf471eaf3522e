"""Kinds of joints that are supported."""

from __future__ import annotations

from collections.abc import Iterator

from models.description import MOVING, Description
from models.findings import Finding, error, warning


def check_kinds(description: Description) -> Iterator[Finding]:
    """Floating and planar joints; unusual names of dynamics."""
    for joint in description.joints.values():
        if joint.kind in ("floating", "planar"):
            yield error(
                f"joint {joint.name}: type",
                joint.kind,
                f"is not supported, only {', '.join(MOVING)} and fixed are; the root "
                "link floats by itself",
            )
        for field in ("damping", "friction"):
            value = getattr(joint, field)
            if value < 0.0:
                rule = "must not be negative"
                yield error(f"joint {joint.name}: {field}", f"{value:g}", rule)
    if not any(joint.moves for joint in description.joints.values()):
        yield warning("robot", "no moving joint", "is one rigid body")
