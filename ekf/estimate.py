"""What the filter says after a tick."""

from dataclasses import dataclass
from enum import Enum

from ekf.arrays import Array
from ekf.log_cholesky import ALPHA, D, S, T


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


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """Inertia of the estimated links. Arrays are read-only; n is the number of links.

    Attributes:
        links: (n,) names, as given to the filter.
        theta: (n, 10) deviation from nominal, [alpha, d1-d3, s12, s23, s13, t1-t3].
        parameters: (n, 10) inertial parameters in Pinocchio's order, about the joint
            frame; always physically consistent.
        covariance: (10 n, 10 n) covariance of theta, links stacked.
        innovation: (nv,) measured minus predicted torque of the last sample [N, Nm];
            NaN if the sample was not used.
        normalised_innovation: Stacked innovation squared in units of its covariance
            (torque and fictitious rows); NaN if the sample was not used.
        mass_kg: (n,) masses.
        com_m: (n, 3) centres of mass in the link's joint frame.
        sigma_mass_kg: (n,) standard deviation of the mass.
        sigma_com_m: (n, 3) standard deviation of the centre of mass.
        status: Whether the last sample was used.
        reason: Why not; empty if it was.
    """

    links: tuple[str, ...]
    theta: Array
    parameters: Array
    covariance: Array
    innovation: Array
    normalised_innovation: float
    mass_kg: Array
    com_m: Array
    sigma_mass_kg: Array
    sigma_com_m: Array
    status: UpdateStatus
    reason: str = ""

    @property
    def ok(self) -> bool:
        """Whether the last sample was used."""
        return self.status is UpdateStatus.OK

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
