"""Every moving joint carries mass that it must turn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from models.arrays import Array
from models.description.findings import Finding, error, warning
from models.description.inertia import is_impossible, is_slack
from models.description.reading import Description, Joint, Link
from models.description.tree import placements, rigid_groups, roots, transform, walk

SMALLEST_KG = 1e-9
"""Lighter bodies are mistakes, and drown in rounding."""


def check_carried(description: Description) -> Iterator[Finding]:
    """A joint whose whole subtree has no mass; a base without any."""
    weighing = _weighing(description)
    for link, above in walk(description, roots(description)[0]):
        if above is not None and above.moves and link not in weighing:
            rule = (
                f"its moving subtree (joint {above.name}) has no mass, must have some"
            )
            yield error(f"link {link}: mass", "none", rule)
    base = roots(description)[0]
    links = rigid_groups(description, base)[base]
    if not _readable_mass(description, links):
        rule = (
            "the base must have mass if the robot is to float; a fixed one needs none"
        )
        yield warning(f"link {base}: mass", "none", rule)


def check_moving_bodies(description: Description) -> Iterator[Finding]:
    """Links that move as one must weigh something, and not be a point or a line.

    Joints further out that carry mass make the mass matrix regular all the same, but
    the simulator needs a body at every joint.
    """
    root = roots(description)[0]
    poses = placements(description, root)
    above = {link: joint for link, joint in walk(description, root)}
    weighing = _weighing(description)
    for head, links in rigid_groups(description, root).items():
        joint = above[head]
        if joint is not None and head in weighing:
            yield from _moving_body(description, joint, links, poses)


def _moving_body(
    description: Description, joint: Joint, links: list[str], poses: dict[str, Array]
) -> Iterator[Finding]:
    if not _readable_mass(description, links):
        value = f"none before the next joint ({', '.join(links)})"
        rule = f"joint {joint.name} must carry mass of its own"
        yield error(f"link {links[0]}: mass", value, rule)
        return
    if any(_is_reported(description.links[name]) for name in links):
        return
    mass, tensor = _merged(description, links, poses)
    if 0.0 < mass < SMALLEST_KG:
        rule = f"what joint {joint.name} carries must be {SMALLEST_KG:g} kg or more"
        yield error(f"link {links[0]}: mass", f"{mass:g}", rule)
    elif mass > 0.0 and is_slack(mass, tensor):
        rule = f"what joint {joint.name} carries must have inertia about every axis"
        yield error(
            f"link {links[0]}: inertia", f"a point or line of {mass:g} kg", rule
        )


def _is_reported(link: Link) -> bool:
    """Whether the link by itself is an error already."""
    body = link.body
    if body is None:
        return link.unreadable
    if body.tensor_kgm2 is None:
        return body.mass_kg > 0.0
    return is_impossible(body.mass_kg, body.tensor_kgm2)


def _weighing(description: Description) -> set[str]:
    """Links with mass in them or below them; unreadable ones are given credit."""
    order = list(walk(description, roots(description)[0]))
    found = {link for link, _ in order if _readable_mass(description, [link])}
    for link, above in reversed(order):
        if above is not None and link in found:
            found.add(above.parent)
    return found


def _readable_mass(description: Description, links: list[str]) -> bool:
    """Whether any of the links has mass, or an element that was to say so."""
    found = (description.links[name] for name in links)
    return any(k.unreadable or (k.body and k.body.mass_kg != 0.0) for k in found)


def _merged(
    description: Description, links: list[str], poses: dict[str, Array]
) -> tuple[float, Array]:
    """Mass and tensor (3, 3) about the common centre of mass, in the root's axes."""
    parts = []
    for name in links:
        body = description.links[name].body
        if body is not None and body.mass_kg > 0.0:
            pose = poses[name] @ transform(body.pose)
            tensor = np.zeros((3, 3)) if body.tensor_kgm2 is None else body.tensor_kgm2
            rotation = pose[:3, :3]
            parts.append((body.mass_kg, pose[:3, 3], rotation @ tensor @ rotation.T))
    if not parts:
        return 0.0, np.zeros((3, 3))
    mass = sum(m for m, _, _ in parts)
    centre = sum((m * c for m, c, _ in parts), np.zeros(3)) / mass
    merged = np.zeros((3, 3))
    for m, c, tensor in parts:
        lever = c - centre
        merged += tensor + m * (lever @ lever * np.eye(3) - np.outer(lever, lever))
    return mass, merged
