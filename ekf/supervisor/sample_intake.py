"""Intake of the supervised filter's samples, and how good their rows are."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ekf.arrays import Array, Flags, Rows
from ekf.faults import Fault, FaultKind, to_array, to_float
from ekf.filter.inertial_ekf import InertialEKF
from ekf.filter.link_torques import TorqueSample
from ekf.model_lookup import channel_names
from ekf.signals.sample_clock import ClockReading, SampleClock
from ekf.signals.torque_channels import TorqueChannels
from ekf.supervisor.chain_motion import ChainMotion
from ekf.supervisor.row_trust import RowTrust
from ekf.supervisor.settings import SupervisorSettings

_ABSURD = 1e5
"""Torque, or torque of a unit of inertia, beyond which a sample is refused."""


class SampleIntake:
    """Judges stamps, torque channels, flags and wrenches, sample by sample.

    Attributes:
        motion: How long the links' chains have rested and moved.
        stale: (n,) whether a torque of a link's chain has been without news for long.
    """

    def __init__(
        self,
        ekf: InertialEKF,
        rows: Sequence[Rows],
        trust: RowTrust,
        settings: SupervisorSettings,
    ) -> None:
        """Start with every channel good.

        Args:
            ekf: The filter.
            rows: Own torque rows of each link.
            trust: Of the torque rows.
            settings: Of the supervisor.
        """
        self._ekf, self._trust, self._settings = ekf, trust, settings
        self._joints = [own - ekf.root_dofs for own in rows]
        names = channel_names(ekf.model)
        self._channels = TorqueChannels(names, stale_s=settings.stale_s)
        self._clock = SampleClock(settings.tick_s)
        self.motion = ChainMotion(self._joints, settings.resting_speed)
        self._counts: Counter[str] = Counter()
        self.reset()

    def reset(self) -> None:
        """Forget every sample; the counts are kept."""
        self._channels.reset()
        self._clock.reset()
        self.motion.reset()
        self.stale = [False] * len(self._joints)

    @property
    def counts(self) -> Mapping[str, int]:
        """Refused stamps, bad channels and doubtful samples."""
        channels = {f"channel_{k}": n for k, n in self._channels.counts.items()}
        return {**self._counts, **channels}

    def stamp(self, time_s: Any) -> ClockReading:
        """Judge the time of a sample; a refused one is counted."""
        reading = self._clock.read(to_float(time_s))
        if reading.fault is not None:
            self._counts[f"stamp_{reading.fault.value}"] += 1
        return reading

    def read(
        self,
        signals: tuple[Any, Any, Any, Any, Any],
        dt_s: float,
        *,
        friction: Any,
        saturated: Any,
        slipping: bool,
    ) -> tuple[TorqueSample, Array] | Fault:
        """Judge the rest of a sample. Never raises on data.

        Args:
            signals: q, v, a, actuated torques and wrenches as for
                `SupervisedEKF.update`.
            dt_s: Time since the sample before.
            friction: (n,) known friction of the actuated joints [Nm], or None.
            saturated: (n,) whether each actuated joint is at its limit, or None.
            slipping: Whether a foot is known to slide.

        Returns:
            Torque that the links have to explain, and a factor (nv,) on the variance of
            each row, 1 where nothing is wrong; or the fault.
        """
        q, v, a, tau_joints, wrenches = signals
        tau, missing = self._read_torques(tau_joints, v, dt_s)
        tau = _without_friction(tau, friction)
        wrenches, blind = _known_wrenches(wrenches)
        torques = _find_flag_fault(saturated, len(missing)) or _sane(
            self._ekf.measure(q, v, a, tau, wrenches)
        )
        if isinstance(torques, Fault):
            return torques
        slipping = slipping or self._slides(wrenches)
        self._count(saturated, blind, slipping)
        return torques, self._trust.doubt(missing, saturated, blind, slipping)

    def _read_torques(self, tau: Any, v: Any, dt_s: float) -> tuple[Array, Flags]:
        root, rows = self._ekf.root_dofs, self._ekf.model.nv
        torque, velocity = to_array(tau), to_array(v)
        if torque.shape != (rows - root,) or velocity.shape != (rows,):
            return torque, np.zeros(rows - root, dtype=bool)
        speed = velocity[root:]
        usable, missing = self._channels.read(torque, speed, dt_s)
        self.motion.read(speed, dt_s)
        stale = self._channels.stale
        self.stale = [bool(stale[own].any()) for own in self._joints]
        return usable, missing

    def _count(self, saturated: Any, blind: bool, slipping: bool) -> None:
        spoilt = saturated is not None and bool(np.any(saturated))
        causes = {"saturated": spoilt, "no_wrenches": blind, "slipping": slipping}
        self._counts.update(name for name, happened in causes.items() if happened)

    def _slides(self, wrenches: Any) -> bool:
        """Whether a foot that carries something moves."""
        if wrenches is None:
            return False
        loaded = np.linalg.norm(wrenches[:, :3], axis=1) > self._settings.noise.force_N
        fast = self._ekf.foot_speeds > self._settings.slip_speed
        return bool((loaded & fast).any())


def _sane(sample: TorqueSample | Fault) -> TorqueSample | Fault:
    """A fault for torques so large that no robot has them."""
    if isinstance(sample, Fault):
        return sample
    torque, unit = np.abs(sample.y).max(), np.abs(sample.regressor).max()
    if torque < _ABSURD and unit < _ABSURD:  # not so for NaN either
        return sample
    reason = f"torque {torque:.3g}, of unit inertia {unit:.3g}: both below {_ABSURD:g}"
    return Fault(kind=FaultKind.NON_FINITE, reason=reason)


def _without_friction(tau: Array, friction: Any) -> Array:
    """Torques less known friction; of no length at all if these do not fit."""
    if friction is None:
        return tau
    known = to_array(friction)
    return tau - known if known.shape == tau.shape else np.empty(0)


def _find_flag_fault(flags: Any, joints: int) -> Fault | None:
    """Fault if flags are given, but not one per joint."""
    if flags is None or to_array(flags).shape == (joints,):
        return None
    reason = f"saturated has shape {to_array(flags).shape}: it must be {(joints,)}"
    return Fault(kind=FaultKind.DIMENSION, reason=reason)


def _known_wrenches(wrenches: Any) -> tuple[Any, bool]:
    """Wrenches without what is not finite, and whether there was any of that."""
    if wrenches is None:
        return None, False
    array = to_array(wrenches)
    finite = np.isfinite(array)
    return np.where(finite, array, 0.0), not bool(finite.all())
