r"""Left and right limbs are mirror images at zero angles.

With S = diag(1, -1, 1), a point mirrors to S p, a tensor to S I S, the axis of a slide
to S a, and that of a turn, a pseudo-vector, to -S a. Where the mirrored axis is the
other's negative, so are its limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from models.arrays import Array
from models.description.findings import Finding, warning
from models.description.reading import Body, Description, Joint, Limit
from models.description.tree import placements, roots, transform

MASS_SHARE = 0.02
"""Masses and limits may differ by this share."""
TENSOR_SHARE = 0.05
"""Entries of a tensor may differ by this share of its largest one."""
SMALLEST_TENSOR_KGM2 = 1e-4
"""Tensors are compared as if none were smaller."""
DISTANCE_M = 2e-3
ANGLE_RAD = 1e-2
_MIRROR = np.diag([1.0, -1.0, 1.0])
_RIGHT_OF = {"left": "right", "l": "r"}
_LEFT_OF = {right: left for left, right in _RIGHT_OF.items()}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^A-Za-z]+")
"""Words of a name: LEFT_KNEE, LKnee and leftKnee have two, besides the underscore."""
_MUST = "left and right should be mirror images"


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """Names of a link or joint on both sides."""

    left: str
    right: str

    def finding(self, kind: str, what: str, left: object, right: object) -> Finding:
        where = f"{kind} {self.left} and {kind} {self.right}: {what}"
        return warning(where, f"{left} against {right}", _MUST)


def check_symmetry(description: Description) -> Iterator[Finding]:
    """Bodies, joints and limits of both sides, pair by pair."""
    poses = placements(description, roots(description)[0])
    for pair in mirror_pairs(description.links):
        yield from _bodies(description, pair, poses)
    for pair in mirror_pairs(description.joints):
        left, right = (description.joints[n] for n in (pair.left, pair.right))
        if left.moves and right.moves:
            yield from _joints(pair, left, right, poses)


def mirror_pairs(names: Iterable[str]) -> Iterator[_Pair]:
    """Names that differ in the word for their side only: LEFT_KNEE, LKnee, knee_l."""
    known = set(names)
    for name in sorted(known):
        other = "".join(_exchanged(word) for word in _WORD.findall(name))
        if other != name and other in known:
            yield _Pair(left=name, right=other)


def mirrored_name(name: str) -> str:
    """The name with left and right exchanged; itself if it has no side."""
    return "".join(_exchanged(word, both=True) for word in _WORD.findall(name))


def _exchanged(word: str, both: bool = False) -> str:
    """A word for left as that for right, in the same case; other words as they are."""
    other = (_RIGHT_OF | _LEFT_OF if both else _RIGHT_OF).get(word.lower(), word)
    if other == word or word.islower():
        return other
    return other.upper() if word.isupper() else other.capitalize()


def _bodies(
    description: Description, pair: _Pair, poses: dict[str, Array]
) -> Iterator[Finding]:
    left, right = (_body(description, name) for name in (pair.left, pair.right))
    if left is None or right is None:
        if (left is None) != (right is None):
            words = [
                "no mass" if b is None else f"{b.mass_kg:g}" for b in (left, right)
            ]
            yield pair.finding("link", "mass", *words)
        return
    if _differ(left.mass_kg, right.mass_kg):
        yield pair.finding("link", "mass", f"{left.mass_kg:g}", f"{right.mass_kg:g}")
    ours = poses[pair.left] @ transform(left.pose)
    theirs = poses[pair.right] @ transform(right.pose)
    centre, other = _MIRROR @ ours[:3, 3], theirs[:3, 3]
    if np.linalg.norm(centre - other) > DISTANCE_M:
        yield pair.finding("link", "centre of mass", *map(_text, (ours[:3, 3], other)))
    if left.tensor_kgm2 is None or right.tensor_kgm2 is None:
        return
    mine = _MIRROR @ ours[:3, :3] @ left.tensor_kgm2 @ ours[:3, :3].T @ _MIRROR
    yours = theirs[:3, :3] @ right.tensor_kgm2 @ theirs[:3, :3].T
    if np.abs(mine - yours).max() > TENSOR_SHARE * max(
        np.abs(mine).max(), SMALLEST_TENSOR_KGM2
    ):
        rows = (_MIRROR @ mine @ _MIRROR, yours)
        words = [_text(m[np.triu_indices(3)]) for m in rows]
        yield pair.finding("link", "inertia in the root's axes", *words)


def _body(description: Description, link: str) -> Body | None:
    """The mass of a link; None where it has none."""
    body = description.links[link].body
    return body if body is not None and body.mass_kg > 0.0 else None


def _joints(
    pair: _Pair, left: Joint, right: Joint, poses: dict[str, Array]
) -> Iterator[Finding]:
    places = [poses[joint.child][:3, 3] for joint in (left, right)]
    if np.linalg.norm(_MIRROR @ places[0] - places[1]) > DISTANCE_M:
        yield pair.finding("joint", "place", *map(_text, places))
    for key in ("effort", "velocity"):
        ours, theirs = (getattr(joint.limit, key, None) for joint in (left, right))
        if ours is not None and theirs is not None and _differ(ours, theirs):
            yield pair.finding("joint", f"{key} limit", f"{ours:g}", f"{theirs:g}")
    sign = _mirrored_sign(left, right, poses)
    if sign is not None and left.limit is not None and right.limit is not None:
        yield from _ranges(pair, left.limit, right.limit, sign)


def _mirrored_sign(left: Joint, right: Joint, poses: dict[str, Array]) -> float | None:
    """Sign between the mirrored left and the right axis; None if they differ."""
    if left.axis is None or right.axis is None or left.kind != right.kind:
        return None
    ours = poses[left.child][:3, :3] @ left.axis
    theirs = poses[right.child][:3, :3] @ right.axis
    handed = 1.0 if left.kind == "prismatic" else -1.0
    along = float(handed * (_MIRROR @ ours) @ theirs)
    return float(np.sign(along)) if abs(along) > 0.99 else None


def _ranges(pair: _Pair, left: Limit, right: Limit, sign: float) -> Iterator[Finding]:
    ours = (left.lower or 0.0, left.upper or 0.0)
    theirs = (right.lower or 0.0, right.upper or 0.0)
    mirrored = ours if sign > 0.0 else (-ours[1], -ours[0])
    pairs = list(zip(mirrored, theirs, strict=True))
    if any(abs(a - b) > ANGLE_RAD for a, b in pairs):  # infinite ones differ by NaN
        same = "the same" if sign > 0.0 else "opposite"
        what = f"position limits about axes of {same} sense"
        yield pair.finding("joint", what, _text(ours), _text(theirs))


def _differ(a: float, b: float) -> bool:
    return abs(a - b) > MASS_SHARE * max(abs(a), abs(b))


def _text(values: Iterable[float]) -> str:
    return "(" + ", ".join(f"{value:.4g}" for value in values) + ")"
