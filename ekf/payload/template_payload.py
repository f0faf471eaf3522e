"""Payload of a known shape: only its mass is unknown."""

import pinocchio as pin

from ekf.arrays import Array, require_positive
from ekf.payload.least_squares import ForgettingLeastSquares
from ekf.payload.least_squares_payload import LeastSquaresPayload


class TemplatePayload(LeastSquaresPayload):
    r"""Base of the estimators that know a payload by its torque per kilogram.

    .. math:: \Phi = (ID_{template} - ID_{empty}) / m_{template}

    Where the payload sits and how it is shaped is taken from the template. The raw mass
    and the projected one are both kept: a mass outside of the projection is a
    diagnosis, one that is compensated must be possible.
    """

    def __init__(
        self,
        empty: pin.Model,
        template: pin.Model,
        template_kg: float,
        squares: ForgettingLeastSquares,
        largest_kg: float,
    ) -> None:
        """Start at zero.

        Args:
            empty: The unloaded robot; copied.
            template: The robot with a payload of `template_kg`; copied.
            template_kg: Mass of that payload.
            squares: The recursion, with its settings.
            largest_kg: Upper end of the projection; the lower one is zero.

        Raises:
            InvalidSettingError: If a mass is not finite and positive.
        """
        self._empty, self._template = empty.copy(), template.copy()
        self._data = empty.createData(), template.createData()
        self._template_kg = require_positive("template_kg", template_kg)
        self._largest = require_positive("largest_kg", largest_kg)
        super().__init__(squares)

    @property
    def raw_mass_kg(self) -> float:
        """The estimate before its projection; 0 before the first usable sample."""
        return float(self._squares.state[0])

    @property
    def mass_kg(self) -> float:
        """The estimate within zero and the largest mass."""
        return min(max(self.raw_mass_kg, 0.0), self._largest)

    @property
    def payload_parameters(self) -> Array:
        """(10,) payload about its joint, the one where the template is heaviest."""
        pairs = zip(self._template.inertias, self._empty.inertias, strict=True)
        added = [a.toDynamicParameters() - b.toDynamicParameters() for a, b in pairs]
        heaviest: Array = max(added, key=lambda parameters: float(parameters[0]))
        return heaviest * (self.mass_kg / self._template_kg)

    def predict_one(self) -> float:
        """`mass_kg`."""
        return self.mass_kg

    def _split(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """Torque per kilogram (nv,) [Nm/kg], and that of the unloaded robot [Nm]."""
        empty = pin.rnea(self._empty, self._data[0], q, v, a)
        loaded = pin.rnea(self._template, self._data[1], q, v, a)
        return (loaded - empty) / self._template_kg, empty
