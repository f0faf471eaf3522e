"""Payload mass by least squares on a known body's torque per kilogram."""

from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import require_positive
from ekf.payload.least_squares import ForgettingLeastSquares
from ekf.payload.least_squares_payload import Rows
from ekf.payload.template_payload import TemplatePayload
from ekf.signals.samples import JointSample, SampleReader
from ekf.streaming import LearnStatus


class TemplateRLS(TemplatePayload):
    r"""Least squares on the inverse dynamics of two models.

    .. math:: \tau_{k-1} - ID_{empty} = \Phi\, m

    (`TemplatePayload`, `ForgettingLeastSquares`), all inverse dynamics at the state
    :math:`(q, v)_{k-1}` and the acceleration :math:`(v_k - v_{k-1}) / \Delta t` that
    :math:`\tau_{k-1}`, the torque of the interval that ended at sample k, caused. So
    the torque of a sample is that of the interval since the sample before.

    A sample whose regressor is smaller than the excitation threshold changes nothing.
    """

    def __init__(
        self,
        empty: pin.Model,
        template: pin.Model,
        template_kg: float,
        lam: float = 1.0,
        *,
        initial_variance: float = 100.0,
        largest_kg: float = 0.5,
        excitation: float = 1e-8,
    ) -> None:
        """Prepare.

        Args:
            empty: The unloaded robot; copied.
            template: The robot with a payload of `template_kg`; copied.
            template_kg: Mass of that payload.
            lam: Forgetting factor per sample, in (0, 1].
            initial_variance: P at the start [kg^2].
            largest_kg: Upper end of the projection; the lower one is zero.
            excitation: Smallest squared norm of a usable regressor [(Nm/kg)^2].

        Raises:
            InvalidSettingError: If a value breaks its rule.
        """
        self._reader = SampleReader(empty)
        squares = ForgettingLeastSquares(
            [require_positive("initial_variance", initial_variance)],
            np.ones(empty.nv),
            lam,
            bounded=False,
            excitation=require_positive("excitation", excitation, or_zero=True),
        )
        super().__init__(empty, template, template_kg, squares, largest_kg)

    def reset(self) -> None:
        """Return to zero mass and the initial variance; the counts start again."""
        super().reset()
        self._previous: JointSample | None = None

    def _rows(self, sample: Any) -> Rows | LearnStatus:
        read = self._reader.read(sample)
        if read is None:
            return LearnStatus.MISSING
        previous = self._previous
        if previous is None:
            self._previous = read
            return LearnStatus.FIRST
        dt_s = read.time_s - previous.time_s
        if dt_s <= 0.0:
            return LearnStatus.TIME_STEP
        self._previous = read
        a = (read.v - previous.v) / dt_s
        phi, empty = self._split(previous.q, previous.v, a)
        return phi, read.tau - empty
