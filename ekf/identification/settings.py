"""Settings of the identification from a whole log.

The prior deviations are what a careful robot file is usually wrong by. They decide
only where the data do not, and they are why an interval is honest about directions
that the motion does not show.
"""

from dataclasses import dataclass, fields

from ekf.arrays import require_positive


@dataclass(frozen=True, kw_only=True)
class IdentificationSettings:
    """What is assumed about a robot and its log before the log is looked at.

    Attributes:
        rate_hz: Logs are resampled to this rate, or to their own if it is lower.
        motion_hz: Cut-off of the positions, before they are differentiated.
        column_hz: Cut-off of torques and of all columns, which pass one filter.
        most_rows: Instants that are kept of a log; longer ones are filtered more.
        link_mass_share: Standard deviation of a link's mass, as a share.
        link_com_m: Of a link's centre of mass along each axis [m].
        link_inertia_share: Of a link's rotational inertia, as a share of its mean.
        gain_share: Of a joint's torque scale.
        friction_share: Of dry and viscous friction, as a share of the joint's torques.
        offset_share: Of a torque offset, as a share of the joint's torques.
        stribeck_share: Of the dip of friction with speed, as a share of the torques.
        load_friction: Of dry friction per torque that the gear carries.
        rotor_share: Of the torque of the rotor's inertia, as a share of the torques.
        torque_floor_share: Of a row that fits better than any model should, as a share
            of the joint's torques.
        payload_kg: Of a payload's mass: anything is possible.
        payload_com_m: Of a payload's centre about the frame that carries it [m].
        drift_share: By how much friction and offsets differ between two logs.
        resting_speed: Below this dry friction's sign is not known [rad/s, m/s].
        block_s: Span over which residuals are one and the same error.
        sigma_scale: Factor on standard deviations. Residuals of real joints are no
            stationary noise: on virtual payloads of 0.5 to 3 kg added to logs of three
            real arms, errors are up to this much larger than the residuals say.
    """

    rate_hz: float = 100.0
    motion_hz: float = 8.0
    column_hz: float = 4.0
    most_rows: float = 4000.0
    link_mass_share: float = 0.05
    link_com_m: float = 0.01
    link_inertia_share: float = 0.2
    gain_share: float = 0.03
    friction_share: float = 1.0
    offset_share: float = 0.3
    stribeck_share: float = 0.3
    load_friction: float = 0.05
    rotor_share: float = 0.3
    torque_floor_share: float = 0.005
    payload_kg: float = 50.0
    payload_com_m: float = 0.15
    drift_share: float = 0.1
    resting_speed: float = 0.02
    block_s: float = 2.0
    sigma_scale: float = 1.2

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            InvalidSettingError: If a value is not finite and positive.
        """
        for field in fields(self):
            name = f"IdentificationSettings.{field.name}"
            require_positive(name, getattr(self, field.name))
