"""Every link with mass is a possible body, as it is written in the file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from models.description.findings import Finding, error, warning
from models.description.inertia import (
    is_flat,
    is_impossible,
    nearest_possible,
    second_moments,
    smallest_eigenvalue,
)
from models.description.reading import Body, Description
from models.description.tree import extent_m, roots

Array = NDArray[np.float64]

_KEYS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_UPPER = np.triu_indices(3)
_OTHER_ORDERS = {
    "ixx iyy izz ixy ixz iyz": (0, 3, 4, 1, 5, 2),
    "ixx iyy izz iyz ixz ixy": (0, 5, 4, 1, 3, 2),
    "ixx ixy iyy ixz iyz izz": (0, 1, 3, 2, 4, 5),
}
"""Orders of the six numbers in other tools: places in them of the URDF's."""
_SAME = 1e-6
"""Entries that differ by this share of the largest one are one number."""


def check_bodies(description: Description) -> Iterator[Finding]:
    """Mass, tensor and centre of mass of each link by itself."""
    reach_m, _ = extent_m(description, roots(description)[0])
    for link in description.links.values():
        if link.body is not None:
            yield from _mass(link.name, link.body)
            yield from _tensor(link.name, link.body, reach_m)


def tensor_text(tensor: Array) -> str:
    """The six entries of a tensor by name."""
    pairs = zip(_KEYS, tensor[_UPPER], strict=True)
    return ", ".join(f"{key} {value:.6g}" for key, value in pairs)


def _mass(name: str, body: Body) -> Iterator[Finding]:
    where, empty = f"link {name}: mass", _is_empty(body)
    if body.mass_kg < 0.0:
        yield error(where, f"{body.mass_kg:g}", "must be above zero")
    elif body.mass_kg == 0.0 and not empty:
        yield error(where, "0 with an inertia", "must be above zero")
    elif body.mass_kg == 0.0:
        yield warning(where, "0", "is read as no <inertial> element")
    elif body.tensor_kgm2 is None:
        rule = "a link with mass must have an <inertia> element"
        yield error(f"link {name}: inertia", f"missing, mass {body.mass_kg:g}", rule)


def _tensor(name: str, body: Body, reach_m: float) -> Iterator[Finding]:
    if body.tensor_kgm2 is None or body.mass_kg <= 0.0:
        return
    where, value = f"link {name}: inertia", tensor_text(body.tensor_kgm2)
    smallest = smallest_eigenvalue(body.mass_kg, body.tensor_kgm2)
    if is_impossible(body.mass_kg, body.tensor_kgm2):
        moments = _moments_text(body.tensor_kgm2)
        yield error(
            where,
            value,
            "no body has this tensor: smallest eigenvalue of the pseudo-inertia "
            f"{smallest:.6g} must be above 0; the tensor's own eigenvalues are "
            f"{moments}, each must be above 0 and at most the sum of the other two; "
            + "; ".join(_advice(body.mass_kg, body.tensor_kgm2)),
        )
    elif is_flat(body.mass_kg, body.tensor_kgm2):
        rule = "is that of a point, a line or a sheet; real bodies have a thickness"
        yield warning(where, value, rule)
    yield from _size(where, body, reach_m)


def _advice(mass_kg: float, tensor: Array) -> Iterator[str]:
    """Likely causes, then the nearest possible tensor."""
    entries = tensor[_UPPER]
    if np.ptp(entries) == 0.0:
        yield "all six numbers are the same, as in a placeholder"
    if _is_row_walk(entries):
        yield (
            "iyy is ixy again, as if the rows of the whole 3 x 3 matrix (ixx ixy ixz "
            "ixy iyy iyz izx ...) were written into the six fields: then iyy is "
            f"{entries[4]:.6g}, iyz is {entries[5]:.6g}, and izz is not in the file"
        )
    for order, places in _OTHER_ORDERS.items():
        if _is_solid(mass_kg, entries[list(places)]):
            yield f"read in the order {order} it would be possible"
    if _is_solid(mass_kg, entries * [1, -1, -1, 1, -1, 1]):
        yield "with the signs of ixy, ixz and iyz reversed it would be possible"
    nearest = nearest_possible(tensor)
    if nearest.any():
        yield f"the nearest possible one is {tensor_text(nearest)}"
    else:
        yield "no possible one is near"


def _moments_text(tensor: Array) -> str:
    """Eigenvalues, those that are rounding as 0."""
    moments = np.linalg.eigvalsh(tensor)
    moments[np.abs(moments) < 1e-12 * np.abs(moments).max()] = 0.0
    return ", ".join(f"{moment:.6g}" for moment in moments)


def _is_row_walk(entries: Array) -> bool:
    """Whether ixx ixy ixz iyx iyy iyz of a matrix stand in the six fields.

    Its third row is lost; of the first two rows the block in x and y must be one.
    """
    xx, xy, _, yx, yy, _ = entries
    same = abs(xy - yx) <= _SAME * float(np.abs(entries).max())
    return bool(same and xx > 0.0 and yy > 0.0 and xx * yy > xy * xy)


def _is_solid(mass_kg: float, entries: Array) -> bool:
    """Whether six entries, in the URDF's order, are the tensor of a possible body."""
    tensor = np.zeros((3, 3))
    tensor[_UPPER] = entries
    tensor = tensor + np.triu(tensor, 1).T
    return not (is_impossible(mass_kg, tensor) or is_flat(mass_kg, tensor))


def _size(where: str, body: Body, reach_m: float) -> Iterator[Finding]:
    """A body much wider than the robot was measured in other units."""
    assert body.tensor_kgm2 is not None
    spread = np.trace(second_moments(body.tensor_kgm2)) / body.mass_kg
    radius_m = float(np.sqrt(max(spread, 0.0)))
    if radius_m > max(reach_m, 0.5):
        rule = (
            f"mass lies {radius_m:.3g} m from its centre on average, further than the "
            f"robot reaches ({reach_m:.3g} m): units must be kg and m"
        )
        yield warning(where, tensor_text(body.tensor_kgm2), rule)


def _is_empty(body: Body) -> bool:
    return body.tensor_kgm2 is None or not body.tensor_kgm2.any()
