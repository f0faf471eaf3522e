"""One tree of links: every joint joins two links that exist, and there is one root."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from models.description.findings import Finding, error
from models.description.reading import Description
from models.description.tree import roots, walk
from models.errors import near_names

MAX_JOINTS = 200
"""That move; the memory of a model's data grows with their cube, to 0.6 GB here."""
MAX_LINKS = 2000
"""No robot has more; native readers recurse over a chain of links."""


def check_structure(description: Description) -> Iterator[Finding]:
    """Links that are missing, unreachable, or reached twice."""
    count = len(description.links)
    if count == 0:
        yield error("robot", "no link", "must have at least one link")
    if count > MAX_LINKS:
        yield error("robot", f"{count} links", f"must have at most {MAX_LINKS}")
    moving = sum(joint.moves for joint in description.joints.values())
    if moving > MAX_JOINTS:
        value = f"{moving} moving joints"
        yield error("robot", value, f"must have at most {MAX_JOINTS} that move")
    unknown = list(_unknown_links(description))
    yield from unknown
    yield from _parents(description)
    if not unknown:
        yield from _roots(description)


def _unknown_links(description: Description) -> Iterator[Finding]:
    for joint in description.joints.values():
        for end, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in description.links:
                where = f"joint {joint.name}: {end} link"
                yield error(where, link or "missing", _unknown(link, end, description))


def _unknown(link: str, end: str, description: Description) -> str:
    """The rule, and what may have been meant."""
    near = near_names(link, description.links)
    words = ["must be a link of this file"]
    if near:
        words.append(f"did you mean {' or '.join(near)}?")
    if end == "parent":
        words.append("is the file a part of another one?")
    return "; ".join(words)


def _parents(description: Description) -> Iterator[Finding]:
    counts = Counter(j.child for j in description.joints.values() if j.child)
    for link, count in counts.items():
        if count > 1:
            names = [j.name for j in description.joints.values() if j.child == link]
            value = f"child of joints {', '.join(names)}"
            yield error(f"link {link}", value, "must have one parent")


def _roots(description: Description) -> Iterator[Finding]:
    found = roots(description)
    if len(found) > 1:
        value = ", ".join(found)
        yield error("robot", f"root links {value}", "must have one root link")
    reached = {link for root in found for link, _ in walk(description, root)}
    lost = [link for link in description.links if link not in reached]
    if lost:
        value = f"links {', '.join(lost)} form a loop"
        yield error("robot", value, "links must form a tree")
