"""Payload mass by least squares on a known body's torque per kilogram."""

from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen, require_positive
from ekf.payload.payload_rls import require_forgetting
from ekf.signals.samples import JointSample, SampleReader
from ekf.streaming import CountsSamples, LearnStatus


class TemplateRLS(CountsSamples):
    r"""Scalar recursive least squares on the inverse dynamics of two models.

    .. math::
        \Phi = \frac{ID_{template} - ID_{empty}}{m_{template}}, \qquad
        y = \tau_{k-1} - ID_{empty}, \qquad
        \hat m \leftarrow \hat m
            + \frac{P\, \Phi^T (y - \Phi \hat m)}{\lambda + P\, \Phi^T \Phi}, \qquad
        P \leftarrow \frac{P}{\lambda + P\, \Phi^T \Phi},

    both inverse dynamics at the state :math:`(q, v)_{k-1}` and the acceleration
    :math:`(v_k - v_{k-1}) / \Delta t` that :math:`\tau_{k-1}`, the torque of the
    interval that ended at sample k, caused. Where the payload sits and how it is shaped
    is taken from the template; only its mass is unknown.

    A sample whose regressor is smaller than the excitation threshold changes nothing.
    The raw estimate and the projected one are both kept: what falls outside is a
    diagnosis, what is compensated must be possible.
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
        self._empty, self._template = empty.copy(), template.copy()
        self._data = empty.createData(), template.createData()
        self._template_kg = require_positive("template_kg", template_kg)
        self._lam = require_forgetting(lam)
        self._initial = require_positive("initial_variance", initial_variance)
        self._largest = require_positive("largest_kg", largest_kg)
        self._excitation = require_positive("excitation", excitation, or_zero=True)
        self._reader = SampleReader(empty)
        self.reset()

    def reset(self) -> None:
        """Return to zero mass and the initial variance; the counts start again."""
        self._mass, self._p = 0.0, self._initial
        self._previous: JointSample | None = None
        self._restart_counts()

    @property
    def raw_mass_kg(self) -> float:
        """The estimate before its projection."""
        return self._mass

    @property
    def mass_kg(self) -> float:
        """The estimate within zero and the largest mass."""
        return min(max(self._mass, 0.0), self._largest)

    @property
    def covariance(self) -> Array:
        """(1, 1) P, in units of the torque variance [kg^2]."""
        return frozen([[self._p]])

    def learn_one(self, sample: Any) -> LearnStatus:
        """Take one sample in any form `SampleReader` reads. Never raises on data.

        Its torque is that of the interval since the sample before.
        """
        return self._count(self._learn(self._reader.read(sample)))

    def _learn(self, sample: JointSample | None) -> LearnStatus:
        if sample is None:
            return LearnStatus.MISSING
        previous = self._previous
        if previous is None:
            self._previous = sample
            return LearnStatus.FIRST
        dt_s = sample.time_s - previous.time_s
        if dt_s <= 0.0:
            return LearnStatus.TIME_STEP
        self._previous = sample
        state = previous.q, previous.v, (sample.v - previous.v) / dt_s
        empty = pin.rnea(self._empty, self._data[0], *state)
        loaded = pin.rnea(self._template, self._data[1], *state)
        return self._update((loaded - empty) / self._template_kg, sample.tau - empty)

    def _update(self, phi: Array, extra: Array) -> LearnStatus:
        information = float(phi @ phi)
        if information < self._excitation:
            return LearnStatus.UNEXCITED
        denominator = self._lam + self._p * information
        innovation = float(phi @ (extra - phi * self._mass))
        mass = self._mass + self._p / denominator * innovation
        if not np.isfinite(mass):
            return LearnStatus.NUMERICAL
        self._mass, self._p = mass, self._p / denominator
        return LearnStatus.USED
