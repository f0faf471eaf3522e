"""Torque of a position servo from what it was told and where it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen
from ekf.errors import InvalidSettingError
from ekf.faults import to_array
from ekf.signals.aligner import AlignedSample, SignalAligner

SETTLE_DELAYS = 5.0
"""A filter starts at its first input, which may be one count's 61 rad/s^2; after so
many of its delays that is forgotten."""
MIN_SAMPLES = 50
"""Fewer samples of a joint in motion say nothing about its servo."""


class TorqueSource(Protocol):
    """How a filtered signal becomes the torque at the joints."""

    def joint_torque(self, sample: AlignedSample) -> Array:
        """(nv,) torque [Nm]; the signal is in the sample's torque channel."""
        ...


class CommandedTorque:
    """The signal is the torque itself: true of torque motors only."""

    def joint_torque(self, sample: AlignedSample) -> Array:
        """(nv,) the commanded torque [Nm]."""
        return sample.tau


@dataclass(frozen=True, kw_only=True)
class ServoTorque:
    r"""A servo's own PD and its gearbox; the signal is the goal it was given.

    .. math::
        \tau_i = K_i (q_{goal,i} - q_i) - c_i \,\mathrm{sgn}\, v_i - d_i v_i

    Attributes:
        stiffness: (nv,) K [Nm/rad].
        coulomb: (nv,) c [Nm].
        viscous: (nv,) d, gearbox and the servo's derivative gain together [Nm s/rad].
        sigma: (nv,) standard deviation of what the fit leaves [Nm]; infinite for a
            joint about which nothing is known.
    """

    stiffness: Array
    coulomb: Array
    viscous: Array
    sigma: Array

    @classmethod
    def believed(cls, stiffness_Nm_per_rad: Any) -> "ServoTorque":
        """A servo of the stiffness in its data sheet, and nothing else known."""
        stiffness = to_array(stiffness_Nm_per_rad)
        none = np.zeros(len(stiffness))
        return cls(
            stiffness=frozen(stiffness),
            coulomb=frozen(none),
            viscous=frozen(none),
            sigma=frozen(none + 1.0),
        )

    def joint_torque(self, sample: AlignedSample) -> Array:
        """(nv,) torque at the joints [Nm]."""
        lead = sample.tau - sample.q
        friction = self.coulomb * np.sign(sample.v) + self.viscous * sample.v
        return self.stiffness * lead - friction


def fit_servo_torque(
    model: pin.Model,
    samples: Iterable[tuple[float, Any, Any, Any]],
    *,
    cutoff_hz: float = 4.0,
    slowest_rad_per_s: float = 0.1,
) -> ServoTorque:
    r"""Calibrate every servo on a motion whose torques the model knows.

    The unloaded arm is its own reference weight. Every signal passes one and the same
    filter, and joint by joint, while it moves,

    .. math::
        ID_i(\bar q, \bar v, \bar a) = K_i \bar\ell_i
        - c_i \,\mathrm{sgn}\, \bar v_i - d_i \bar v_i, \qquad \ell = q_{goal} - q,

    is solved by least squares. A joint that hardly moves keeps zeros and an infinite
    standard deviation.

    Args:
        model: The arm as it was during the motion, one degree of freedom per joint.
        samples: (time_s, q, v, goal) with the goal held since the sample before.
        cutoff_hz: Of the filter.
        slowest_rad_per_s: Slower than this the direction of friction is not known.

    Raises:
        InvalidSettingError: No joint moved enough.
    """
    data = model.createData()
    aligned = _settled(SignalAligner(model, cutoff_hz=cutoff_hz), samples)
    torque = np.array([pin.rnea(model, data, s.q, s.v, s.a) for s in aligned])
    rows = [_fit_joint(aligned, torque, i, slowest_rad_per_s) for i in range(model.nv)]
    values, sigmas = np.array([row[0] for row in rows]), [row[1] for row in rows]
    if not np.isfinite(sigmas).any():
        rule = f"at least {MIN_SAMPLES} must show a joint faster than the slowest speed"
        raise InvalidSettingError("samples", f"{len(aligned)} usable", rule)
    stiffness, coulomb, viscous = values.T
    return ServoTorque(
        stiffness=frozen(stiffness),
        coulomb=frozen(coulomb),
        viscous=frozen(viscous),
        sigma=frozen(sigmas),
    )


def _settled(
    aligner: SignalAligner, samples: Iterable[tuple[float, Any, Any, Any]]
) -> list[AlignedSample]:
    aligned = [s for s in (aligner.push(*row) for row in samples) if s is not None]
    if not aligned:
        return []
    since = aligned[0].time_s + SETTLE_DELAYS * aligner.delay_s
    return [sample for sample in aligned if sample.time_s >= since]


def _fit_joint(
    samples: list[AlignedSample], torque: Array, joint: int, slowest: float
) -> tuple[Array, float]:
    """(3,) K, c, d and the standard deviation of what is left."""
    moving = [k for k, s in enumerate(samples) if abs(s.v[joint]) > slowest]
    if len(moving) < MIN_SAMPLES:
        return np.zeros(3), np.inf
    v = np.array([samples[k].v[joint] for k in moving])
    lead = np.array([samples[k].tau[joint] - samples[k].q[joint] for k in moving])
    columns = np.column_stack([lead, -np.sign(v), -v])
    target = torque[moving, joint]
    values, *_ = np.linalg.lstsq(columns, target, rcond=None)
    left = target - columns @ values
    return values, float(np.sqrt(left @ left / (len(moving) - 3)))
