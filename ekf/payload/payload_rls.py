"""Payload mass by scalar recursive least squares."""

from collections.abc import Sequence
from typing import Any

import pinocchio as pin

from ekf.arrays import Array, frozen, require_positive, row_variance
from ekf.inertia.pseudo_inertia import point_mass_parameters
from ekf.payload.least_squares import ForgettingLeastSquares
from ekf.payload.least_squares_payload import LeastSquaresPayload, Rows
from ekf.payload.payload_torque import PayloadTorque
from ekf.signals.samples import SampleReader
from ekf.streaming import LearnStatus


class PayloadRLS(LeastSquaresPayload):
    r"""Mass of a point payload at a link's origin, from the torque left unexplained.

    Least squares (`ForgettingLeastSquares`) on the rows
    :math:`\tau - ID(q, v, a) = \phi\, m` of all joints, with :math:`\phi = g J_z(q)`
    (the vertical row of the Jacobian of the link's frame) and the acceleration the
    difference of two velocities. A payload whose centre of mass is elsewhere, or that
    is swung quickly, is outside this model; see `PayloadMomentRLS`.

    Not used: the first sample, one whose time does not advance, and one with a missing
    or non-finite channel; the last are counted in `n_missing`. None of them changes
    anything, so the next difference spans the hole. A sample that brings its own
    acceleration needs no predecessor.
    """

    def __init__(
        self,
        model: pin.Model,
        link: str,
        lam: float = 0.99,
        *,
        initial_variance: float = 100.0,
        torque_variance: Any = 1.0,
        feet: Sequence[str] = (),
    ) -> None:
        """Prepare for one link.

        Args:
            model: The unloaded robot; copied, never changed.
            link: Frame (body, tool, joint) at whose origin the payload is.
            lam: Forgetting factor per sample, in (0, 1].
            initial_variance: P at the start [kg^2]; it also bounds P.
            torque_variance: Variance of a torque row [(Nm)^2]: a number or (nv,).
            feet: Frames at which samples bring contact wrenches.

        Raises:
            UnknownLinkError: If a name is not in the model.
            InvalidSettingError: If a value breaks its rule.
            DimensionError: If ``torque_variance`` has the wrong shape.
        """
        self._torque = PayloadTorque(model, link, feet)
        self.link = link
        self._reader = SampleReader(model, len(self._torque.feet))
        squares = ForgettingLeastSquares(
            [require_positive("initial_variance", initial_variance)],
            row_variance("torque_variance", torque_variance, model.nv),
            lam,
        )
        at_frame = point_mass_parameters(self._torque.placement.translation)
        super().__init__(squares, frozen(at_frame))

    def reset(self) -> None:
        """Return to zero mass and the initial variance; the counts start again."""
        super().reset()
        self._previous: tuple[float, Array] | None = None

    def _learn(self, sample: Any) -> LearnStatus:
        before = self._previous
        status = super()._learn(sample)
        if status is LearnStatus.NUMERICAL:
            self._previous = before
        return status

    def _rows(self, sample: Any) -> Rows | LearnStatus:
        read = self._reader.read(sample)
        if read is None:
            return LearnStatus.MISSING
        previous, a = self._previous, read.a
        if previous is not None:
            dt_s = read.time_s - previous[0]
            if dt_s <= 0.0:
                return LearnStatus.TIME_STEP
            if a is None:
                a = (read.v - previous[1]) / dt_s
        self._previous = read.time_s, read.v.copy()
        if a is None:
            return LearnStatus.FIRST
        residual = self._torque.residual(read, a)
        return self._torque.lift(read.q), residual
