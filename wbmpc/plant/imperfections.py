"""Imperfections of a robot that its model lacks; all zero is the nominal plant."""

from __future__ import annotations

import math

import msgspec

from wbmpc.errors import SettingsError, UnknownNameError


class ImperfectionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every difference between the twin and the controller's model.

    Shares are of a joint's effort limit, so that one number fits hip and elbow. Each
    docstring ends with the reason for the value in `HARDWARE_TWIN`.

    Raises:
        SettingsError: On construction, for a value that is negative or not finite.
    """

    coulomb_share: float = 0.0
    """Dry friction beyond the nominal [share of the effort limit]. 1 %: back-driving
    torques of low-ratio planetary and cycloidal joints are 1 to 2 % of their peak."""
    viscous_share_s: float = 0.0
    """Viscous damping beyond the nominal [Nms/rad per Nm of effort limit]. 0.002: 0.4
    Nms/rad at the knee, the grease and seal losses published for such joints."""
    friction_error: float = 0.0
    """Half-width of each joint's relative error of the friction above, seeded. 30 %:
    what load, temperature and wear change between an identification and today."""
    armature_kgm2: float = 0.0
    """Rotor inertia beyond the nominal. 0.005: half the knee's published one, and what
    a small motor (1e-5 kg m^2) behind 22:1 reflects; the arms' is not published."""
    torque_constant_error: float = 0.0
    """Half-width of each joint's relative error of torque per ampere, seeded. 3 %:
    spread of magnets, windings and temperature between two calibrations."""
    torque_ripple_share: float = 0.0
    """Standard deviation of the torque about what was asked, a step [share]. 0.1 %:
    cogging and current ripple after the gear."""
    torque_bandwidth_hz: float = 0.0
    """Cut-off of the first-order torque loop; 0 is an ideal source. 80 Hz: current
    loops reach kHz, torque behind a compliant gear 50 to 100 Hz."""
    torque_sensor_noise_share: float = 0.0
    """Standard deviation of measured torque, a sample [share]. 0.2 %: current sensing
    at the noise of its amplifier."""
    torque_quantum_share: float = 0.0
    """Step of measured torque [share]. 1/2048: 12 bits over both signs."""
    encoder_noise_rad: float = 0.0
    """Standard deviation of a joint angle, a sample. 1e-5: the last bit of an 18-bit
    absolute encoder is not still."""
    encoder_quantum_rad: float = 0.0
    """Step of a joint angle. 2 pi / 2^18: an 18-bit encoder on the joint, or 13 bits on
    the motor behind 32:1."""
    velocity_cutoff_hz: float = 0.0
    """Joint velocity is the difference of two angle readings through a first-order low
    pass of this cut-off; 0 gives the exact velocity. 80 Hz: 2 ms of lag, and 24 mrad/s
    a count come down to about 6."""
    link_mass_error: float = 0.0
    """Half-width of each link's relative error of mass, seeded; first moment and
    rotational inertia scale along, so every link stays a possible body. 5 %: CAD
    without cables, screws and grease."""
    gyro_noise_rad_per_s_sqrt_hz: float = 0.0
    """Noise density. 9e-5: 0.005 deg/s/sqrt(Hz), a good MEMS unit."""
    gyro_bias_rad_per_s: float = 0.0
    """Standard deviation of the bias an axis, seeded. 2e-3: 0.1 deg/s, what remains
    after a calibration at another temperature."""
    accelerometer_noise_m_per_s2_sqrt_hz: float = 0.0
    """Noise density. 1e-3: 100 micro-g/sqrt(Hz)."""
    accelerometer_bias_m_per_s2: float = 0.0
    """Standard deviation of the bias an axis, seeded. 0.05: 5 mg, hence 5 mrad of tilt
    for a filter that believes it."""
    sensor_delay_steps: int = 0
    """Plant steps by which every reading is late. 1: one cycle of a 1 kHz field bus.
    Readings carry the time they arrive at."""
    plan_delay_ticks: int = 0
    """Control ticks from a measurement until its plan takes effect. 1: the solver needs
    most of a 10 ms tick on the robot's computer, while lock-step waits for it."""
    sole_time_constant_s: float = 0.0
    """Contact time constant (MuJoCo's solref) of the soles; 0 keeps the nominal hard
    one of 4 ms. 20 ms: rubber that gives half a millimetre under the robot's weight."""

    def __post_init__(self) -> None:
        """Check every field."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if not math.isfinite(value) or value < 0.0:
                raise SettingsError(f"{name} = {value}: must be finite and >= 0")
        for name in ("friction_error", "torque_constant_error", "link_mass_error"):
            if getattr(self, name) >= 1.0:
                raise SettingsError(f"{name} = {getattr(self, name)}: must be < 1")


CLEAN = ImperfectionSettings()
"""The nominal plant with perfect sensors."""

HARDWARE_TWIN = ImperfectionSettings(
    coulomb_share=0.01,
    viscous_share_s=0.002,
    friction_error=0.3,
    armature_kgm2=0.005,
    torque_constant_error=0.03,
    torque_ripple_share=0.001,
    torque_bandwidth_hz=80.0,
    torque_sensor_noise_share=0.002,
    torque_quantum_share=1.0 / 2048.0,
    encoder_noise_rad=1e-5,
    encoder_quantum_rad=2.0 * math.pi / 2**18,
    velocity_cutoff_hz=80.0,
    link_mass_error=0.05,
    gyro_noise_rad_per_s_sqrt_hz=9e-5,
    gyro_bias_rad_per_s=2e-3,
    accelerometer_noise_m_per_s2_sqrt_hz=1e-3,
    accelerometer_bias_m_per_s2=0.05,
    sensor_delay_steps=1,
    plan_delay_ticks=1,
    sole_time_constant_s=0.02,
)
"""A humanoid of this class as it is on the floor."""

PRESETS = {"clean": CLEAN, "hardware_twin": HARDWARE_TWIN}

SWITCHES: dict[str, tuple[str, ...]] = {
    "friction": ("coulomb_share", "viscous_share_s", "friction_error"),
    "armature": ("armature_kgm2",),
    "torque_constant": ("torque_constant_error",),
    "torque_noise": (
        "torque_ripple_share",
        "torque_sensor_noise_share",
        "torque_quantum_share",
    ),
    "bandwidth": ("torque_bandwidth_hz",),
    "encoders": ("encoder_noise_rad", "encoder_quantum_rad", "velocity_cutoff_hz"),
    "masses": ("link_mass_error",),
    "imu": (
        "gyro_noise_rad_per_s_sqrt_hz",
        "gyro_bias_rad_per_s",
        "accelerometer_noise_m_per_s2_sqrt_hz",
        "accelerometer_bias_m_per_s2",
    ),
    "delay": ("sensor_delay_steps", "plan_delay_ticks"),
    "sole_compliance": ("sole_time_constant_s",),
}
"""Imperfections one would switch together, for ablations; every field is in one."""


def without(settings: ImperfectionSettings, *switches: str) -> ImperfectionSettings:
    """Switch some imperfections off.

    Raises:
        UnknownNameError: No such switch.
    """
    return msgspec.structs.replace(settings, **dict.fromkeys(_fields(switches), 0))


def only(settings: ImperfectionSettings, *switches: str) -> ImperfectionSettings:
    """Switch everything off but some imperfections.

    Raises:
        UnknownNameError: No such switch.
    """
    kept = {name: getattr(settings, name) for name in _fields(switches)}
    return ImperfectionSettings(**kept)


def _fields(switches: tuple[str, ...]) -> list[str]:
    for switch in switches:
        if switch not in SWITCHES:
            raise UnknownNameError("imperfection", switch, SWITCHES)
    return [name for switch in switches for name in SWITCHES[switch]]
