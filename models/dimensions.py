"""How quantities go with the size of a robot: dynamic similarity.

Gravity is the same for every size. So with masses times m and lengths times l, times go
with sqrt(l), accelerations with 1, forces with m, torques with m l, angular
accelerations with 1 / l: a dimension has two exponents, of mass and of length.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dimension:
    """Exponents of mass and length in a quantity; dimensions multiply like units."""

    mass: float = 0.0
    length: float = 0.0

    def __mul__(self, other: Dimension) -> Dimension:
        """Of a product."""
        return Dimension(self.mass + other.mass, self.length + other.length)

    def __pow__(self, exponent: float) -> Dimension:
        """Of a power."""
        return Dimension(self.mass * exponent, self.length * exponent)


KILOGRAM = Dimension(mass=1.0)
METRE = Dimension(length=1.0)
SECOND = Dimension(length=0.5)
NEWTON = KILOGRAM * METRE * SECOND**-2
NEWTON_METRE = NEWTON * METRE
