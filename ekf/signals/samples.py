"""One sample of a robot's joints, a log of them, and what reads either."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen
from ekf.errors import DimensionError
from ekf.faults import find_configuration_fault, to_array, to_float
from ekf.model_lookup import root_dofs


@dataclass(frozen=True, kw_only=True)
class JointSample:
    """Signals of one instant.

    Attributes:
        time_s: Time of the sample.
        q: (nq,) configuration, Pinocchio's convention.
        v: (nv,) velocity; that of a free-flyer is in the base frame.
        tau: Actuated torques [Nm], (nv - 6,) with a free-flyer, else (nv,).
        a: (nv,) time derivative of ``v`` aligned with the rest; None if nobody measured
            or filtered it.
        wrenches: (n_feet, 6) contact wrenches [N, Nm], force first, world axes, at the
            foot frames; None for a robot without feet.
    """

    time_s: float
    q: Array
    v: Array
    tau: Array
    a: Array | None = None
    wrenches: Array | None = None


@dataclass(frozen=True, kw_only=True)
class JointLog:
    """Samples as arrays with time along the first axis; iterating gives `JointSample`.

    Attributes:
        time_s: (T,) times.
        q: (T, nq) configurations.
        v: (T, nv) velocities.
        tau: (T, n) actuated torques [Nm].
        a: (T, nv) accelerations, or None.
        wrenches: (T, n_feet, 6) contact wrenches [N, Nm], or None.
    """

    time_s: Array
    q: Array
    v: Array
    tau: Array
    a: Array | None = None
    wrenches: Array | None = None

    def __post_init__(self) -> None:
        """Copy everything and check that all have the same length.

        Raises:
            DimensionError: If an array has another length than ``time_s``.
        """
        for name in ("time_s", "q", "v", "tau", "a", "wrenches"):
            values = getattr(self, name)
            if values is None:
                continue
            array = frozen(values)
            if array.ndim == 0 or len(array) != len(self.time_s):
                raise DimensionError(name, array.shape, (len(self.time_s), "..."))
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.time_s)

    def __iter__(self) -> Iterator[JointSample]:
        """Samples in order."""
        for k in range(len(self)):
            yield JointSample(
                time_s=float(self.time_s[k]),
                q=self.q[k],
                v=self.v[k],
                tau=self.tau[k],
                a=None if self.a is None else self.a[k],
                wrenches=None if self.wrenches is None else self.wrenches[k],
            )


class SampleReader:
    """Turns what a user has into a checked `JointSample`. Never raises on data.

    Accepted: a `JointSample`; a sequence ``(time_s, q, v, tau[, a[, wrenches]])``; or a
    mapping of channel names, ``t``, ``q_0 .. q_{nq-1}``, ``qd_0 ..``, ``tau_0 ..`` and,
    all of them or none, ``qdd_0 ..``. A mapping carries no wrenches. Other keys are
    ignored and order does not matter.
    """

    def __init__(self, model: pin.Model, n_feet: int = 0) -> None:
        """Prepare the names and shapes of a robot.

        Args:
            model: The robot.
            n_feet: Number of contact wrenches every sample must carry.
        """
        self._model, self.n_feet = model, n_feet
        self._on_manifold = model.nq != model.nv
        n_tau = model.nv - root_dofs(model)
        self._sizes = (model.nq, model.nv, n_tau)
        self._channels = tuple(
            tuple(f"{prefix}_{i}" for i in range(size))
            for prefix, size in zip(("q", "qd", "tau"), self._sizes, strict=True)
        )
        self._acceleration = tuple(f"qdd_{i}" for i in range(model.nv))

    def read(self, sample: Any) -> JointSample | None:
        """The sample, or None if it is incomplete, misshapen or not finite."""
        if isinstance(sample, Mapping):
            sample = self._from_channels(sample)
        elif not isinstance(sample, JointSample):
            sample = _from_sequence(sample)
        if sample is None or not self._is_usable(sample):
            return None
        return sample

    def _from_channels(self, channels: Mapping[str, Any]) -> JointSample | None:
        try:
            q, v, tau = ([channels[n] for n in names] for names in self._channels)
            time_s = channels["t"]
        except KeyError:
            return None
        a = None
        if self._acceleration[0] in channels:
            if any(name not in channels for name in self._acceleration):
                return None
            a = to_array([channels[name] for name in self._acceleration])
        return JointSample(
            time_s=to_float(time_s),
            q=to_array(q),
            v=to_array(v),
            tau=to_array(tau),
            a=a,
        )

    def _is_usable(self, sample: JointSample) -> bool:
        if not np.isfinite(sample.time_s):
            return False
        for array, size in zip(
            (sample.q, sample.v, sample.tau), self._sizes, strict=True
        ):
            if array.shape != (size,) or not np.isfinite(array).all():
                return False
        if sample.a is not None and not _fits(sample.a, (self._model.nv,)):
            return False
        if self.n_feet and not _fits(sample.wrenches, (self.n_feet, 6)):
            return False
        if self._on_manifold:
            return find_configuration_fault(self._model, sample.q) is None
        return True


def _fits(array: Array | None, shape: tuple[int, ...]) -> bool:
    if array is None or array.shape != shape:
        return False
    return bool(np.isfinite(array).all())


def _from_sequence(values: Any) -> JointSample | None:
    if not isinstance(values, Sequence) or not 4 <= len(values) <= 6:
        return None
    padded = [*values, *[None] * (6 - len(values))]
    arrays = [None if x is None else to_array(x) for x in padded[1:]]
    q, v, tau, a, wrenches = arrays
    if q is None or v is None or tau is None:
        return None
    return JointSample(
        time_s=to_float(padded[0]), q=q, v=v, tau=tau, a=a, wrenches=wrenches
    )
