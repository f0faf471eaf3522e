"""The filter's answer after a sample."""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from ekf.arrays import Array, frozen
from ekf.covariance import standard_deviations
from ekf.inertia.log_cholesky import ALPHA, D, S, T


class UpdateStatus(Enum):
    """Whether the last sample was used, and if not, why."""

    NOT_UPDATED = "not_updated"
    """No sample yet: the estimate is the nominal model."""
    OK = "ok"
    """The sample was used."""
    REJECTED_NON_FINITE = "rejected_non_finite"
    """An input holds NaN or infinity."""
    REJECTED_DIMENSION = "rejected_dimension"
    """An input has the wrong shape."""
    REJECTED_CONFIGURATION = "rejected_configuration"
    """A quaternion in q does not have unit norm."""
    REJECTED_TIME_STEP = "rejected_time_step"
    """dt_s is not finite and positive."""
    REJECTED_NO_WRENCHES = "rejected_no_wrenches"
    """The filter has feet but no wrenches were given (pass zeros in flight)."""
    REJECTED_NUMERICAL = "rejected_numerical"
    """The update was not finite or not consistent, or S had no Cholesky factor."""
    REJECTED_COVARIANCE = "rejected_covariance"
    """The covariance was not positive (semi-definite) any more; it was reset."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """Inertia of the estimated links. Arrays are read-only; n is the number of links.

    Attributes:
        links: (n,) names, as given to the filter.
        theta: (n, 10) deviation from nominal, [alpha, d1-d3, s12, s23, s13, t1-t3].
        parameters: (n, 10) inertial parameters in Pinocchio's order, about the joint
            frame; always physically consistent.
        jacobians: (n, 10, 10) derivatives of the parameters by theta.
        covariance: (10 n, 10 n) covariance of theta, links stacked.
        innovation: (nv,) measured minus predicted torque of the last sample [N, Nm];
            NaN if the sample was not used.
        normalised_innovation: Stacked innovation squared in units of its covariance
            (torque and fictitious rows); NaN if the sample was not used.
        status: Whether the last sample was used.
        reason: Why not; empty if it was.
    """

    links: tuple[str, ...]
    theta: Array
    parameters: Array
    jacobians: Array
    covariance: Array
    innovation: Array
    normalised_innovation: float
    status: UpdateStatus
    reason: str = ""

    @property
    def ok(self) -> bool:
        """Whether the last sample was used."""
        return self.status is UpdateStatus.OK

    @property
    def mass_kg(self) -> Array:
        """(n,) masses."""
        return self.parameters[:, 0]

    @cached_property
    def com_m(self) -> Array:
        """(n, 3) centres of mass in the link's joint frame."""
        return frozen(self.parameters[:, 1:4] / self.parameters[:, :1])

    @property
    def sigma_mass_kg(self) -> Array:
        """(n,) standard deviation of the mass."""
        return self._sigma[:, 0]

    @property
    def sigma_com_m(self) -> Array:
        """(n, 3) standard deviation of the centre of mass."""
        return self._sigma[:, 1:]

    @cached_property
    def _sigma(self) -> Array:
        """(n, 4) of mass and centre of mass, to first order through the Jacobians."""
        mass = self.mass_kg
        gradients = self.jacobians[:, :4].copy()
        gradients[:, 1:] -= self.com_m[:, :, None] * gradients[:, :1]
        gradients[:, 1:] /= mass[:, None, None]
        links = np.arange(len(mass))
        blocks = self.covariance.reshape(len(mass), 10, len(mass), 10)
        own = blocks[links, :, links, :]
        variances = ((gradients @ own) * gradients).sum(axis=2)
        return frozen(standard_deviations(variances))

    @property
    def alpha(self) -> Array:
        """(n,) density channel."""
        return self.theta[:, ALPHA]

    @property
    def d(self) -> Array:
        """(n, 3) scale channels."""
        return self.theta[:, D]

    @property
    def s(self) -> Array:
        """(n, 3) shear channels, order s12, s23, s13."""
        return self.theta[:, S]

    @property
    def t(self) -> Array:
        """(n, 3) translation channels [m]."""
        return self.theta[:, T]
