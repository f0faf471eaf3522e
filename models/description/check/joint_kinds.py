"""Kinds and names of joints that are supported."""

from __future__ import annotations

from collections.abc import Iterator

from models.description.findings import Finding, error, warning
from models.description.reading import MOVING, Description

PINOCCHIOS = ("universe", "root_joint")
"""Names that Pinocchio gives to joints and frames of its own."""
PLANTS = ("floating_base",)
"""Name of the plant's free joint; fixed joints are none in the plant."""


def check_kinds(description: Description) -> Iterator[Finding]:
    """Floating and planar joints, reserved names; damping and friction."""
    for joint in description.joints.values():
        if joint.name in PINOCCHIOS or (joint.moves and joint.name in PLANTS):
            yield error(f"joint {joint.name}: name", joint.name, "is reserved")
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
    damped = [j.name for j in description.joints.values() if j.damping or j.friction]
    if damped:
        yield warning(
            "joints: <dynamics>",
            f"damping or friction of {len(damped)} joints, the first is {damped[0]}",
            "the controller knows of neither, and the plant uses them if "
            "plant.urdf_dynamics of the settings says so",
        )
    if not any(joint.moves for joint in description.joints.values()):
        yield warning("robot", "no moving joint", "is one rigid body")
