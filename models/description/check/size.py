"""The robot as a whole is as heavy and as large as robots are, in kg and m."""

from __future__ import annotations

from collections.abc import Iterator

from models.description.findings import Finding, warning
from models.description.reading import Description
from models.description.tree import extent_m, roots

HEAVIEST_KG = 2000.0
FURTHEST_M = 20.0
"""From the root to any link."""
DENSEST_KG_PER_M3 = 5000.0
"""Mass over the cube of that distance; the densest of 77 known robots has 710."""
SMALLEST_M = 0.3
"""No robot is taken for smaller: its links have a size, too."""


def check_size(description: Description) -> Iterator[Finding]:
    """Grams for kilograms, millimetres for metres."""
    reach_m, furthest = extent_m(description, roots(description)[0])
    yield from _mass(description, reach_m)
    if reach_m > FURTHEST_M:
        rule = (
            f"larger than any robot (link {furthest} is that far from the root): "
            f"lengths must be m; if they are millimetres it is {reach_m / 1000.0:.4g} m"
        )
        yield warning("robot: size", f"{reach_m:.4g} m", rule)


def _mass(description: Description, reach_m: float) -> Iterator[Finding]:
    weights = {
        link.name: link.body.mass_kg
        for link in description.links.values()
        if link.body is not None and link.body.mass_kg > 0.0
    }
    total_kg = sum(weights.values())
    dense_kg = DENSEST_KG_PER_M3 * max(reach_m, SMALLEST_M) ** 3
    if total_kg > min(HEAVIEST_KG, dense_kg):
        heaviest = max(weights, key=weights.__getitem__)
        rule = (
            f"heavier than any robot of this size (link {heaviest} has "
            f"{weights[heaviest]:.4g} kg): masses must be kg; if they are grams it "
            f"weighs {total_kg / 1000.0:.4g} kg"
        )
        yield warning("robot: mass of all links", f"{total_kg:.4g} kg", rule)
