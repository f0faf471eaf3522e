"""Links, drives and a payload, fitted to whole logs at once."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ekf.arrays import Array, Flags
from ekf.identification.drive import Drives
from ekf.identification.evidence import Chain, Evidence, Speeds
from ekf.identification.settings import IdentificationSettings

DRIVE = 7
"""Parameters of a joint's drive."""
_DRIFTING = (0, 1, 2)
"""Those of them that differ from log to log: dry, viscous, offset."""
_GAIN = 5
_ITERATIONS = 6
_LEAST_PAYLOAD_KG = 0.3
_RADIUS_M = 0.1
_STICTION_S = 2.5
"""Rows of a joint at rest count as one for at least so long."""
_CHANGE_S = 0.5
"""Around a change of the payload, over which filters have smeared it."""
_TINY = 1e-9
GAIN_STEPS = (1.0, 3.0, 10.0)
"""Factors by which torque scales are trusted less where a log contradicts them."""
_SURPRISING = 1.2
_TOGETHER = 0.3
"""Of a torque scale's deviation, what all joints share at least."""
_GAIN_PER_FRICTION = 0.1
_MOST_SHARED = 0.1
_STRONG = 0.1
"""Joints with less than this share of the largest torque are left out of it."""
_ODD = 2.5
"""A single torque scale, or all together, this many deviations off are a surprise."""
_TINY_LINK_KG = 0.005
_TINY_INERTIA = 1e-4


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Where the parameters of n joints are in one vector.

    Attributes:
        n: Joints of the chain.
        logs: Logs of which all but the first have drives that drifted.
    """

    n: int
    logs: int = 1

    @property
    def payload(self) -> int:
        """First of the ten of the payload."""
        return 10 * self.n

    @property
    def drive(self) -> int:
        """First of the drives'."""
        return 10 * self.n + 10

    @property
    def gains(self) -> NDArray[np.int_]:
        """(n,) torque scales."""
        return self.drive + DRIVE * np.arange(self.n) + _GAIN

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.drive + (DRIVE + len(_DRIFTING) * (self.logs - 1)) * self.n

    def row(self, joint: int, log: int) -> NDArray[np.int_]:
        """Parameters that the torque of one joint in one log depends on."""
        shared = np.arange(self.drive)
        own = self.drive + DRIVE * joint + np.arange(DRIVE)
        if log == 0:
            return np.concatenate((shared, own))
        first = self.drive + DRIVE * self.n + len(_DRIFTING) * self.n * (log - 1)
        drift = first + len(_DRIFTING) * joint + np.arange(len(_DRIFTING))
        return np.concatenate((shared, own, drift))


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Parameters that explain some logs best, and how surely.

    Attributes:
        layout: Where what is.
        theta: (p,) parameters.
        covariance: (p, p) of them if residuals are stationary noise.
        sandwich: (p, p) from what the residuals of spans do together.
        residuals: Per log, (N, n).
        weights: Per log, (N, n).
        noise_Nm: (n,) standard deviation of the residual.
        correlated_s: (n,) time over which a residual is one and the same error.
        gain_factor: By how much torque scales are trusted less than usual.
        drives: Of the joints.
    """

    layout: Layout
    theta: Array
    covariance: Array
    sandwich: Array
    residuals: tuple[Array, ...]
    weights: tuple[Array, ...]
    noise_Nm: Array
    correlated_s: Array
    gain_factor: float
    drives: Drives
    without_kg: Array

    @property
    def mass_kg(self) -> float:
        """Of the payload."""
        return float(self.theta[self.layout.payload])

    @property
    def sigma_mass_kg(self) -> float:
        """Standard deviation of the mass.

        Of the noise, and of what leaving out one joint after the other changes: joints
        that disagree are wrong in a way that none of their residuals shows. A torque
        scale that all joints share, as far as one was found, is not trusted either: the
        links may be as much lighter or heavier.
        """
        shared = float(np.median(self.drives.values[:, _GAIN]))
        spread = np.sum((self.without_kg - self.mass_kg) ** 2)
        spread += (shared * self.mass_kg) ** 2
        return float(np.hypot(self.sigma(self.layout.payload), np.sqrt(spread)))

    def sigma(self, index: int) -> float:
        """Standard deviation of a parameter, the larger of both kinds."""
        both = self.covariance[index, index], self.sandwich[index, index]
        return float(np.sqrt(max(both)))


@dataclass(frozen=True, kw_only=True)
class Task:
    """What is to be fitted.

    Attributes:
        chain: The joints.
        logs: Evidence; the first is that of the log in question.
        loaded: Per log, (N,) where the payload is there.
        speeds: Shapes of friction.
        settings: Priors.
        known: Drives that were identified before.
        trust_model: Take the model's links and the torque scales as exact.
    """

    chain: Chain
    logs: tuple[Evidence, ...]
    loaded: tuple[Flags, ...]
    speeds: Speeds
    settings: IdentificationSettings
    known: Drives | None = None
    trust_model: bool = False


def fit(task: Task) -> Fit:
    """Weighted least squares with priors, iterated.

    Torque scales are trusted as usual first, and less where the log contradicts them.
    The moments in which the payload comes or goes do not count.
    """
    task = replace(task, logs=(_without_changes(task), *task.logs[1:]))
    found = _fit(task, GAIN_STEPS[0])
    for wider in GAIN_STEPS[1:]:
        if _gain_surprise(found) <= _SURPRISING:
            break
        found = _fit(task, wider)
    return found


def _gain_surprise(found: Fit) -> float:
    """Mean size of the torque scales that the log determines, in prior deviations."""
    drives = found.drives
    expected = drives.prior_sigma[:, _GAIN]
    size = np.abs(drives.values[:, _GAIN]) / expected
    told = np.sqrt(found.covariance.diagonal()[found.layout.gains]) < 0.9 * expected
    if not told.any():
        return 0.0
    mean = float(np.sqrt(np.mean(size[told] ** 2)))
    return max(mean, float(size[told].max()) * _SURPRISING / _ODD)


def _without_changes(task: Task) -> Evidence:
    log, loaded = task.logs[0], task.loaded[0]
    changes = log.time_s[1:][np.diff(loaded.astype(int)) != 0] - 0.5 * log.step_s
    near = np.zeros(len(log), dtype=bool)
    for change_s in changes:
        near |= np.abs(log.time_s - change_s) < _CHANGE_S
    return replace(log, usable=log.usable & ~near[:, None])


def _fit(task: Task, gain_factor: float) -> Fit:
    first = task.logs[0]
    layout = Layout(n=len(task.chain.rows), logs=len(task.logs))
    theta = np.zeros(layout.size)
    mean, precision = np.zeros(layout.size), np.zeros((layout.size, layout.size))
    noise = np.sqrt(np.maximum(_mean_square(first.y, first.usable), _TINY))
    correlated = np.ones(layout.n)
    weights = [
        _weights(task, log, noise, correlated, theta, layout) for log in task.logs
    ]
    for _ in range(_ITERATIONS):
        mean, precision = prior(task, layout, theta, gain_factor)
        columns = [
            columns_of(task, layout, theta, index) for index in range(len(task.logs))
        ]
        information, right = precision.copy(), precision @ mean
        alone = [
            (np.zeros_like(precision), np.zeros_like(right)) for _ in range(layout.n)
        ]
        for index, log in enumerate(task.logs):
            for joint in range(layout.n):
                where = layout.row(joint, index)
                own = columns[index][joint]
                weighted = own * weights[index][:, joint, None]
                alone[joint][0][np.ix_(where, where)] += weighted.T @ own
                alone[joint][1][where] += weighted.T @ log.y[:, joint]
        for of_joint, pull in alone:
            information += of_joint
            right += pull
        covariance = inverse(information)
        theta = covariance @ right
        residuals = [
            log.y - _predicted(columns[k], layout, theta, k)
            for k, log in enumerate(task.logs)
        ]
        noise = np.sqrt(np.maximum(_mean_square(residuals[0], first.usable), _TINY))
        correlated = _correlation_rows(residuals[0], first.usable)
        weights = [
            _weights(task, log, noise, correlated, theta, layout) for log in task.logs
        ]
    meat = precision.copy()
    for index, log in enumerate(task.logs):
        meat += _scores(
            task, layout, columns[index], residuals[index], weights[index], index, log
        )
    sandwich = covariance @ meat @ covariance
    without = np.array(
        [
            np.linalg.solve(information - of_joint, right - pull)[layout.payload]
            for of_joint, pull in alone
        ]
    )
    return Fit(
        without_kg=without,
        layout=layout,
        theta=theta,
        covariance=covariance,
        sandwich=sandwich,
        residuals=tuple(residuals),
        weights=tuple(weights),
        noise_Nm=noise,
        correlated_s=correlated * first.step_s,
        gain_factor=gain_factor,
        drives=_drives(task, layout, theta, covariance, sandwich, precision),
    )


def prior(
    task: Task, layout: Layout, theta: Array, gain_factor: float
) -> tuple[Array, Array]:
    """Mean (p,) and information (p, p) before the log is seen."""
    settings, first = task.settings, task.logs[0]
    sigma = np.ones(layout.size)
    for k, joint in enumerate(task.chain.joint_ids):
        inertia = task.chain.model.inertias[joint]
        size = float(np.trace(inertia.inertia)) / 3.0
        own = sigma[10 * k : 10 * k + 10]
        own[0] = settings.link_mass_share * inertia.mass + _TINY_LINK_KG
        own[1:4] = settings.link_com_m
        own[4:] = settings.link_inertia_share * size + _TINY_INERTIA
    if task.trust_model:
        sigma[: layout.payload] *= 1e-3
    mass = max(abs(theta[layout.payload]), _LEAST_PAYLOAD_KG)
    sigma[layout.payload] = settings.payload_kg
    sigma[layout.payload + 1 : layout.payload + 4] = settings.payload_com_m * mass
    sigma[layout.payload + 4 : layout.payload + 10] = _RADIUS_M**2 * mass
    drives = drive_sigma(first, settings, gain_factor)
    sigma[layout.drive : layout.drive + DRIVE * layout.n] = drives.ravel()
    drift = (
        settings.drift_share
        * np.abs(
            theta[layout.drive : layout.drive + DRIVE * layout.n].reshape(
                layout.n, DRIVE
            )
        )[:, list(_DRIFTING)]
    )
    for log in range(1, layout.logs):
        start = layout.drive + DRIVE * layout.n + drift.size * (log - 1)
        sigma[start : start + drift.size] = np.maximum(drift, 1e-4).ravel()
    mean, precision = np.zeros(layout.size), np.diag(sigma**-2.0)
    trusted = 1e-3 if task.trust_model else 1.0
    alone = trusted * gain_factor * settings.gain_share
    shared = trusted * gain_factor * _shared_gain(task, layout, theta)
    together = alone**2 * np.eye(layout.n) + shared**2 * np.ones((layout.n, layout.n))
    precision[np.ix_(layout.gains, layout.gains)] = np.linalg.inv(together)
    # The payload's centre is expected at the frame, in the axes of the joint.
    at = task.chain.placement.translation
    couple = np.eye(layout.size)
    couple[layout.payload + 1 : layout.payload + 4, layout.payload] = -at
    precision = couple.T @ precision @ couple
    if task.known is not None:
        where = slice(layout.drive, layout.drive + DRIVE * layout.n)
        spread = task.known.covariance + np.diag(_drifted(task.known, settings))
        mean[where] = task.known.values.ravel()
        precision[where, where] = _inverse_of_covariance(spread)
    return mean, precision


def _shared_gain(task: Task, layout: Layout, theta: Array) -> float:
    """Standard deviation of a torque scale that all joints share.

    Sensed torques have little friction; where it is much of the torque, the torque is
    from motor currents, whose constants are of one maker and wrong together.
    """
    drives = theta[layout.drive : layout.drive + DRIVE * layout.n]
    dry = np.abs(drives.reshape(layout.n, DRIVE)[:, 0])
    counted = task.logs[0].usable.any(axis=0) & task.chain.turns
    torque = task.logs[0].scale
    if counted.any():
        counted &= torque >= _STRONG * float(torque[counted].max())
    share = dry / np.maximum(torque, 1e-3)
    typical = float(np.median(share[counted])) if counted.any() else 0.0
    least = _TOGETHER * task.settings.gain_share
    return float(np.clip(_GAIN_PER_FRICTION * typical, least, _MOST_SHARED))


def _drifted(known: Drives, settings: IdentificationSettings) -> Array:
    """(7 n,) variance by which drives differ from one log to another."""
    drift = np.zeros_like(known.values)
    for kind in _DRIFTING:
        drift[:, kind] = settings.drift_share * known.values[:, kind]
    return np.asarray((drift**2).ravel())


def _inverse_of_covariance(spread: Array) -> Array:
    scale = np.sqrt(np.maximum(spread.diagonal(), 1e-20))
    scaled = spread / np.outer(scale, scale) + 1e-9 * np.eye(len(spread))
    return np.asarray(np.linalg.inv(scaled) / np.outer(scale, scale))


def inverse(information: Array) -> Array:
    """Inverse of a positive definite matrix whose entries differ by many digits."""
    scale = 1.0 / np.sqrt(information.diagonal())
    inverse = np.linalg.inv(information * np.outer(scale, scale))
    inverse = inverse * np.outer(scale, scale)
    return np.asarray(0.5 * (inverse + inverse.T))


def drive_sigma(
    log: Evidence, settings: IdentificationSettings, gain_factor: float = 1.0
) -> Array:
    """(n, 7) how large parameters of drives usually are."""
    torque = np.maximum(log.scale, 1e-3)
    speed = np.maximum(log.speed, 1e-3)
    turned = np.sqrt(np.mean(log.drive[:, :, 4] ** 2, axis=0))
    return np.column_stack(
        (
            settings.friction_share * torque,
            settings.friction_share * torque / speed,
            settings.offset_share * torque,
            settings.stribeck_share * torque,
            settings.rotor_share * torque / np.maximum(turned, 1e-2),
            np.full(len(torque), gain_factor * settings.gain_share),
            np.full(len(torque), settings.load_friction),
        )
    )


def _body_torque(task: Task, layout: Layout, theta: Array, index: int) -> Array:
    """(N, n) torque of links and payload by the fit so far."""
    log = task.logs[index]
    on = task.loaded[index].astype(float)[:, None]
    links = log.links @ theta[: layout.payload]
    payload = log.payload @ theta[layout.payload : layout.drive]
    return np.asarray(log.nominal + links + on * payload)


def columns_of(task: Task, layout: Layout, theta: Array, index: int) -> list[Array]:
    """Per joint, (N, k) columns in the order of `Layout.row`."""
    log = task.logs[index]
    body = _body_torque(task, layout, theta, index)
    on = task.loaded[index].astype(float)[:, None]
    found = []
    for j in range(layout.n):
        parts = [
            log.links[:, j],
            on * log.payload[:, j],
            log.drive[:, j],
            body[:, j, None],
            (log.sign[:, j] * np.abs(body[:, j]))[:, None],
        ]
        if index:
            parts.append(log.drive[:, j][:, list(_DRIFTING)])
        found.append(np.hstack(parts))
    return found


def _predicted(columns: list[Array], layout: Layout, theta: Array, index: int) -> Array:
    return np.column_stack(
        [own @ theta[layout.row(j, index)] for j, own in enumerate(columns)]
    )


def _mean_square(values: Array, usable: Flags) -> Array:
    """(n,) over the usable rows; that of all rows where there are none."""
    count = usable.sum(axis=0)
    squares = np.where(usable, values**2, 0.0).sum(axis=0) / np.maximum(count, 1)
    return np.asarray(np.where(count > 0, squares, np.mean(values**2, axis=0)))


def _correlation_rows(residual: Array, usable: Flags) -> Array:
    """(n,) integrated autocorrelation time in rows, at least one (Sokal's window)."""
    times = np.ones(residual.shape[1])
    for j in range(residual.shape[1]):
        x = np.where(usable[:, j], residual[:, j], 0.0)
        size = len(x)
        power = np.abs(np.fft.rfft(x, 2 * size)) ** 2
        shape = np.fft.irfft(power)[: max(size // 3, 2)]
        if shape[0] <= 0.0:
            continue
        summed = 1.0 + 2.0 * np.cumsum(shape[1:] / shape[0])
        window = np.arange(1, len(summed) + 1) >= 5.0 * summed
        end = int(np.argmax(window)) if window.any() else len(summed) - 1
        times[j] = max(summed[end], 1.0)
    return times


def _weights(
    task: Task,
    log: Evidence,
    noise: Array,
    correlated: Array,
    theta: Array,
    layout: Layout,
) -> Array:
    """(N, n) information of a row: correlated rows share that of one."""
    drives = theta[layout.drive : layout.drive + DRIVE * layout.n]
    dry = drives.reshape(layout.n, DRIVE)[:, 0]
    alike = max(_STICTION_S / log.step_s, 1.0)
    floor = (task.settings.torque_floor_share * log.scale) ** 2
    variance = (noise**2 + floor) * correlated + dry**2 * alike * log.rest
    return np.asarray(np.where(log.usable, 1.0 / variance, 0.0))


def _scores(
    task: Task,
    layout: Layout,
    columns: list[Array],
    residual: Array,
    weights: Array,
    index: int,
    log: Evidence,
) -> Array:
    """(p, p) summed squares of what whole spans of residuals pull at."""
    rows = max(1, round(task.settings.block_s / log.step_s))
    total = np.zeros((layout.size, layout.size))
    pulls = np.zeros((-(-len(log) // rows), layout.size))
    for j, own in enumerate(columns):
        pull = own * (weights[:, j] * residual[:, j])[:, None]
        summed = np.add.reduceat(pull, np.arange(0, len(log), rows), axis=0)
        pulls[:, layout.row(j, index)] += summed
    total += pulls.T @ pulls
    return total * len(pulls) / max(len(pulls) - 1, 1)


def _drives(
    task: Task,
    layout: Layout,
    theta: Array,
    covariance: Array,
    sandwich: Array,
    precision: Array,
) -> Drives:
    where = slice(layout.drive, layout.drive + DRIVE * layout.n)
    own, robust = covariance[where, where], sandwich[where, where]
    ratio = np.sqrt(np.maximum(robust.diagonal() / own.diagonal(), 1.0))
    ratio = ratio * task.settings.sigma_scale
    prior = 1.0 / np.sqrt(precision[where, where].diagonal())
    return Drives(
        joints=task.chain.names,
        values=theta[where].reshape(layout.n, DRIVE),
        covariance=own * np.outer(ratio, ratio),
        stribeck_speed=task.speeds.stribeck,
        resting_speed=task.speeds.resting,
        prior_sigma=prior.reshape(layout.n, DRIVE),
    )


def with_loads(task: Task, loaded: Flags) -> Task:
    """The same with the payload there at other times of the first log."""
    return replace(task, loaded=(loaded, *task.loaded[1:]))
