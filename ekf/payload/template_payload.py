"""Payload of a known shape: only its mass is unknown."""

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen, require_positive
from ekf.payload.least_squares import ForgettingLeastSquares
from ekf.payload.least_squares_payload import LeastSquaresPayload


class TemplateTorque:
    r"""Torque per kilogram of a payload, from the inverse dynamics of two models.

    .. math:: \Phi = (ID_{template} - ID_{empty}) / m_{template}

    Where the payload sits and how it is shaped is taken from the template.

    Attributes:
        unit_parameters: (10,) of 1 kg of it about the joint that carries it; of the one
            that carries most of it where the template loads several.
    """

    def __init__(
        self, empty: pin.Model, template: pin.Model, template_kg: float
    ) -> None:
        """Take the two models.

        Args:
            empty: The unloaded robot; copied.
            template: The robot with a payload of `template_kg`; copied.
            template_kg: Mass of that payload.

        Raises:
            InvalidSettingError: If the mass is not finite and positive.
        """
        self._empty, self._template = empty.copy(), template.copy()
        self._data = empty.createData(), template.createData()
        self._template_kg = require_positive("template_kg", template_kg)
        loads = np.array([_added(empty, template, j) for j in range(empty.njoints)])
        self.unit_parameters = frozen(loads[loads[:, 0].argmax()] / self._template_kg)

    def split(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """Torque per kilogram (nv,) [Nm/kg], and that of the unloaded robot [Nm]."""
        empty = pin.rnea(self._empty, self._data[0], q, v, a)
        loaded = pin.rnea(self._template, self._data[1], q, v, a)
        return (loaded - empty) / self._template_kg, empty


class TemplatePayload(LeastSquaresPayload):
    """Base of the estimators of a template's mass, which keep what they project.

    A mass outside of the projection is a diagnosis; one that is compensated must be
    possible.
    """

    def __init__(
        self,
        template: TemplateTorque,
        squares: ForgettingLeastSquares,
        largest_kg: float,
    ) -> None:
        """Start at zero.

        Args:
            template: The payload.
            squares: The recursion, with its settings.
            largest_kg: Upper end of the projection; the lower one is zero.

        Raises:
            InvalidSettingError: If the largest mass is not finite and positive.
        """
        self._template = template
        self._largest = require_positive("largest_kg", largest_kg)
        super().__init__(squares, template.unit_parameters)

    @property
    def raw_mass_kg(self) -> float:
        """The estimate before its projection; 0 before the first usable sample."""
        return float(self._squares.state[0])

    @property
    def mass_kg(self) -> float:
        """The estimate within zero and the largest mass."""
        return min(max(self.raw_mass_kg, 0.0), self._largest)

    def predict_one(self) -> float:
        """`mass_kg`."""
        return self.mass_kg


def _added(empty: pin.Model, template: pin.Model, joint: int) -> Array:
    """(10,) what a template adds to the inertia at a joint."""
    added: Array = (
        template.inertias[joint].toDynamicParameters()
        - empty.inertias[joint].toDynamicParameters()
    )
    return added
