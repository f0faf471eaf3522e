"""One tree of links: every joint joins two links that exist, and there is one root."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from models.description import Description
from models.errors import near_names
from models.findings import Finding, error
from models.tree import roots, walk

MAX_LINKS = 2000
"""No robot has more; native readers recurse over a chain of links."""


def check_structure(description: Description) -> Iterator[Finding]:
    """Links that are missing, unreachable, or reached twice."""
    count = len(description.links)
    if count == 0:
        yield error("robot", "no link", "must have at least one link")
    if count > MAX_LINKS:
        yield error("robot", f"{count} links", f"must have at most {MAX_LINKS}")
    yield from _unknown_links(description)
    yield from _parents(description)
    yield from _roots(description)


def _unknown_links(description: Description) -> Iterator[Finding]:
    for joint in description.joints.values():
        for end, link in (("parent", joint.parent), ("child", joint.child)):
            if link and link not in description.links:
                near = near_names(link, description.links)
                yield error(
                    f"joint {joint.name}: {end} link",
                    link,
                    "is not a link of this file"
                    + (f"; did you mean {' or '.join(near)}?" if near else "")
                    + (
                        "; is the file a part of another one?"
                        if end == "parent"
                        else ""
                    ),
                )


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
