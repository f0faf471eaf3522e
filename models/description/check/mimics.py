"""Joints that follow others: no controller here moves them as one."""

from __future__ import annotations

from collections.abc import Iterator

from models.description.findings import Finding, error
from models.description.reading import Description


def check_mimics(description: Description) -> Iterator[Finding]:
    """Every moving mimic joint; one that is welded with its leader is fixed by then."""
    for joint in description.joints.values():
        if joint.mimic is None:
            continue
        value = (
            f"of {joint.mimic.joint or 'nothing'} (factor "
            f"{joint.mimic.factor:g}, offset {joint.mimic.offset:g})"
        )
        where = f"joint {joint.name}: mimic"
        if joint.mimic.joint not in description.joints:
            yield error(where, value, "must follow a joint of this file")
        else:
            rule = (
                "mimic joints are not supported unless the joint they follow is welded"
            )
            yield error(where, value, rule)
