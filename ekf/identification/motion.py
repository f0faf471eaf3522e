"""Signals of a whole log at one rate, without delay, one piece per gap."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, Flags, Rows
from ekf.identification.settings import IdentificationSettings
from ekf.model_lookup import root_dofs
from ekf.signals.samples import JointLog

GAP_STEPS = 8.0
"""A longer pause between samples parts a log into pieces, in median steps."""
SHORTEST_S = 1.0
"""Shorter pieces tell nothing once they are filtered."""
_STUCK_ROWS = 3
_DEAD_SHARE = 0.02


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Steady samples of a span without a gap.

    Attributes:
        time_s: (T,) times.
        q: (T, nq) smoothed configurations.
        v: (T, nv) velocities.
        a: (T, nv) accelerations.
        tau: (T, n) torques as measured, held over instants without one.
        measured: (T, n) whether a torque was measured: neither missing nor below the
            threshold of its drive.
    """

    time_s: Array
    q: Array
    v: Array
    a: Array
    tau: Array
    measured: Flags


def rate_hz(log: JointLog, settings: IdentificationSettings) -> float:
    """Rate at which a log is looked at."""
    step_s = float(np.median(np.diff(log.time_s)))
    return min(settings.rate_hz, 1.0 / step_s)


def pieces(
    model: pin.Model, log: JointLog, settings: IdentificationSettings
) -> Iterator[Piece]:
    """Pieces of a log that are long enough.

    Positions are smoothed by a filter without delay and differentiated: velocities that
    a robot reports often lag. Torques stay as they are.
    """
    hz = rate_hz(log, settings)
    gap_s = GAP_STEPS * float(np.median(np.diff(log.time_s)))
    breaks = np.flatnonzero(np.diff(log.time_s) > gap_s) + 1
    dead = _dead_channels(log.tau)
    for rows in np.split(np.arange(len(log)), breaks):
        if len(rows) > 3 and log.time_s[rows[-1]] - log.time_s[rows[0]] >= SHORTEST_S:
            yield _piece(model, log, rows, hz, settings, dead)


def _piece(
    model: pin.Model,
    log: JointLog,
    rows: Rows,
    hz: float,
    settings: IdentificationSettings,
    dead: Flags,
) -> Piece:
    time_s = log.time_s[rows]
    steady = np.arange(time_s[0], time_s[-1], 1.0 / hz)
    cutoff = min(settings.motion_hz, 0.4 * hz)
    turned, root = _unwound(model, log.q[rows]), root_dofs(model)
    turned = low_pass(_at(steady, time_s, turned), cutoff, hz)
    v = np.gradient(turned, 1.0 / hz, axis=0)
    if root:
        base = _at(steady, time_s, log.v[rows][:, :root])
        v[:, :root] = low_pass(base, cutoff, hz)
    a = np.gradient(v, 1.0 / hz, axis=0)
    q0 = log.q[rows[0]]
    q = np.array([pin.integrate(model, q0, x) for x in turned])
    if root:
        nearest = np.clip(np.searchsorted(time_s, steady), 0, len(rows) - 1)
        q[:, :7] = log.q[rows][nearest, :7]
    tau = log.tau[rows]
    good = np.isfinite(tau) & ~(dead & (tau == 0.0) & _stuck(tau))
    filled = np.where(np.isfinite(tau), tau, 0.0)
    return Piece(
        time_s=steady,
        q=q,
        v=v,
        a=a,
        tau=_at(steady, time_s, filled),
        measured=_at(steady, time_s, good.astype(float)) > 0.99,
    )


def _unwound(model: pin.Model, q: Array) -> Array:
    """(T, nv) way from the first configuration, joint by joint without wrapping."""
    steps = [
        pin.difference(model, before, after)
        for before, after in zip(q, q[1:], strict=False)
    ]
    return np.vstack(
        (np.zeros(model.nv), np.cumsum(np.reshape(steps, (-1, model.nv)), axis=0))
    )


def _dead_channels(tau: Array) -> Flags:
    """Channels that are exactly zero often: the drive reports nothing below some."""
    zero = (tau == 0.0).mean(axis=0)
    return np.asarray(zero > _DEAD_SHARE, dtype=bool)


def _stuck(tau: Array) -> Flags:
    """Where a channel repeats itself for several rows."""
    same = np.zeros(tau.shape, dtype=bool)
    same[1:] = tau[1:] == tau[:-1]
    run = np.zeros(tau.shape, dtype=bool)
    for shift in range(_STUCK_ROWS):
        run |= np.roll(same, -shift, axis=0)
    return run


def _at(steady: Array, time_s: Array, values: Array) -> Array:
    columns = [np.interp(steady, time_s, column) for column in values.T]
    return np.column_stack(columns)


def low_pass(values: Array, cutoff_hz: float, hz: float) -> Array:
    """Third-order Butterworth filter along the first axis, forth and back."""
    from scipy.signal import butter, sosfiltfilt

    if cutoff_hz >= 0.49 * hz:
        return values
    sections = butter(3, cutoff_hz, fs=hz, output="sos")
    pad = min(int(3.0 * hz / cutoff_hz), len(values) - 1)
    filtered: Array = sosfiltfilt(sections, values, axis=0, padlen=pad)
    return filtered
