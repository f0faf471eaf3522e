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
    "ixx ixy iyy ixz iyz izz": (0, 1, 3, 2, 4, 5),
}
"""Orders of the six numbers in other tools: places in them of the URDF's."""


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
        yield error(
            where,
            value,
            "no body has this tensor: smallest eigenvalue of the pseudo-inertia "
            f"{smallest:.6g} must be above 0; "
            + _advice(body.mass_kg, body.tensor_kgm2),
        )
    elif is_flat(body.mass_kg, body.tensor_kgm2):
        rule = "is that of a point, a line or a sheet; real bodies have a thickness"
        yield warning(where, value, rule)
    yield from _size(where, body, reach_m)


def _advice(mass_kg: float, tensor: Array) -> str:
    nearest = nearest_possible(tensor)
    words = f"the nearest possible one is {tensor_text(nearest)}"
    if not nearest.any():
        words = "no possible one is near"
    entries = tensor[_UPPER]
    for order, places in _OTHER_ORDERS.items():
        other = np.zeros((3, 3))
        other[_UPPER] = entries[list(places)]
        other = other + np.triu(other, 1).T
        if not (is_impossible(mass_kg, other) or is_flat(mass_kg, other)):
            words += f"; read in the order {order} it would be possible"
    return words


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
