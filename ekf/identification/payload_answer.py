"""What is on the link, by a whole log: a payload, nothing, or nobody can tell."""

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ekf.arrays import Array, Flags
from ekf.identification.drive import Drives
from ekf.identification.evidence import Chain, Evidence, Speeds, find_speeds, gather
from ekf.identification.load_spans import Span, best_span
from ekf.identification.log_fit import GAIN_STEPS, Fit, Task, fit, with_loads
from ekf.identification.settings import IdentificationSettings
from ekf.signals.samples import JointLog

SURE = 1.96
"""Standard deviations on either side of a 95 % interval."""
PRECISE = 0.04
"""Largest standard deviation of a mass that is given as such, as a share of it."""
SMALL_SHARE = 0.05
"""Of the mass of the links: none means that not even this much is there."""
_STEP_SAVES = 35.0
_STEP_SIGMA = 5.0
_STEP_SHARE = 0.01
_SECOND_SHARE = 0.15
_SECOND_MASS = 0.3
_MOST_SPANS = 4
_UNLOADED_S = 2.0
_EXPLAINED = 0.5
_OPPOSITE = -0.5
_LIKELY = 1.64
_KNOWN_COM_M = 0.1


class Verdict(Enum):
    """What a log says about the link."""

    PAYLOAD = "payload"
    NONE = "none"
    MODEL_HEAVIER = "model_heavier"
    CANNOT_TELL = "cannot_tell"


@dataclass(frozen=True, kw_only=True)
class PayloadAnswer:
    """The answer of a whole log.

    Attributes:
        verdict: What is said.
        reason: Why, in a sentence.
        mass_kg: More than the model has at the link; negative if it has less. None if
            nothing can be said.
        sigma_kg: Its standard deviation.
        com_m: (3,) centre in the frame of the link; None where it is not determined.
        from_s: Beginning of the span it is true of.
        to_s: End of it.
    """

    verdict: Verdict
    reason: str
    mass_kg: float | None = None
    sigma_kg: float | None = None
    com_m: Array | None = None
    from_s: float | None = None
    to_s: float | None = None

    @property
    def interval_kg(self) -> tuple[float, float] | None:
        """95 % interval."""
        if self.mass_kg is None or self.sigma_kg is None:
            return None
        spread = SURE * self.sigma_kg
        return self.mass_kg - spread, self.mass_kg + spread


@dataclass(frozen=True, kw_only=True)
class Weighing:
    """An answer with what it was taken from.

    Attributes:
        answer: The answer.
        task: The evidence; None if there was none.
        fit: Everything that was fitted; None as well.
    """

    answer: PayloadAnswer
    task: Task | None = None
    fit: Fit | None = None


def prepare(
    log: JointLog,
    chain: Chain,
    settings: IdentificationSettings,
    *,
    tare: JointLog | None = None,
    known: Drives | None = None,
    unmeasured: tuple[str, ...] = (),
) -> Task | str:
    """The evidence of a log, without a payload so far; or why there is none."""
    if log.time_s[-1] - log.time_s[0] < 3.0:
        return "the log is shorter than 3 s"
    try:
        speeds = find_speeds(log, chain, settings)
    except ValueError:
        return "the log has no second without a gap"
    if known is not None:
        speeds = Speeds(resting=known.resting_speed, stribeck=known.stribeck_speed)
    first = gather(log, chain, speeds, settings, unmeasured)
    if first is None or len(first) < 20:
        return "too little of the log is without gaps"
    logs = [first]
    if tare is not None:
        own = gather(tare, chain, speeds, settings, unmeasured)
        if own is not None:
            logs.append(own)
    return Task(
        chain=chain,
        logs=tuple(logs),
        loaded=tuple(np.zeros(len(e), dtype=bool) for e in logs),
        speeds=speeds,
        settings=settings,
        known=known,
    )


def weigh(task: Task, payload_at_s: float | None = None) -> Weighing:
    """Say what is on the link.

    Args:
        task: Of `prepare`.
        payload_at_s: When the payload came; found from the log if None, which may be
            loaded all along.
    """
    reason = _unusable(task)
    if reason:
        return Weighing(answer=_unknown(reason))
    log = task.logs[0]
    referred = len(task.logs) > 1
    loaded = np.ones(len(log), dtype=bool)
    if payload_at_s is not None:
        loaded = log.time_s >= payload_at_s
        if not loaded.any():
            return Weighing(answer=_unknown("no sample after the payload came"))
        referred |= bool(log.time_s[~loaded].size * log.step_s >= _UNLOADED_S)
        found = fit(with_loads(task, loaded))
    else:
        step = _find_step(task)
        if step is not None:
            loaded, found, times = step
            referred = True
            if times:
                told = f"the load came and went or changed several times ({times})"
                whole = _unknown(told)
                return Weighing(answer=whole, task=with_loads(task, loaded), fit=found)
        else:
            found = fit(with_loads(task, loaded))
    task = with_loads(task, loaded)
    return Weighing(answer=_judge(task, found, referred=referred), task=task, fit=found)


def _unknown(reason: str) -> PayloadAnswer:
    return PayloadAnswer(verdict=Verdict.CANNOT_TELL, reason=reason)


def _unusable(task: Task) -> str:
    """Why nothing can be said; empty if something can."""
    log = task.logs[0]
    if not log.usable.any():
        return "no torque of a joint that carries the link is measured"
    rest = np.array(
        [
            log.rest[log.usable[:, j], j].mean() if log.usable[:, j].any() else 1.0
            for j in range(len(task.chain.names))
        ]
    )
    if (rest > 0.9).all():
        return "the arm hardly moves: weight and friction at rest look alike"
    torque = log.y + log.nominal
    for j, name in enumerate(task.chain.names):
        rows = log.usable[:, j]
        if rows.sum() < 10 or log.nominal[rows, j].std() < 0.3 * torque[rows, j].std():
            continue
        alike = np.corrcoef(torque[rows, j], log.nominal[rows, j])[0, 1]
        if alike < _OPPOSITE:
            return (
                f"the torque of {name} has the sign opposite to the model's "
                f"(correlation {alike:.2f}): sign in --columns, or another robot"
            )
    return ""


def _find_step(task: Task) -> tuple[Flags, Fit, str] | None:
    """When the load was there, if it came or went; times if it did so often."""
    null = fit(task)
    span = best_span(task, null)
    if span is None or span.saved < _STEP_SAVES:
        return None
    loaded, spans = span.loaded, [span]
    found = fit(with_loads(task, loaded))
    if found.mass_kg < 0.0:
        loaded = ~loaded
        found = fit(with_loads(task, loaded))
    for _ in range(_MOST_SPANS):
        more = best_span(with_loads(task, loaded), found)
        if more is None or not _changes(more, found, span):
            break
        spans.append(more)
        loaded = loaded | more.loaded if more.mass_kg > 0.0 else loaded & ~more.loaded
        if not loaded.any():
            return None
        found = fit(with_loads(task, loaded))
    scale = task.settings.sigma_scale
    sure = found.mass_kg > _STEP_SIGMA * scale * found.sigma_mass_kg
    if not sure or found.mass_kg < _STEP_SHARE * task.chain.carried_kg:
        return None
    times = " and ".join(map(_times, spans)) if len(spans) > 1 else ""
    return loaded, found, times


def _changes(more: Span, found: Fit, first: Span) -> bool:
    """Whether a further span is a change of the load and not friction's."""
    enough = more.saved > max(_STEP_SAVES, _SECOND_SHARE * first.saved)
    return enough and abs(more.mass_kg) > _SECOND_MASS * abs(found.mass_kg)


def _times(span: Span) -> str:
    return f"{span.from_s:.1f} to {span.to_s:.1f} s"


def _judge(task: Task, found: Fit, *, referred: bool) -> PayloadAnswer:
    log, loaded = task.logs[0], task.loaded[0]
    sigma = task.settings.sigma_scale * found.sigma_mass_kg
    answer = PayloadAnswer(
        verdict=Verdict.CANNOT_TELL,
        reason="",
        mass_kg=found.mass_kg,
        sigma_kg=sigma,
        from_s=float(log.time_s[loaded][0]),
        to_s=float(log.time_s[loaded][-1]),
    )
    odd = _misfit(task, found)
    if odd:
        return replace(answer, reason=odd)
    mass, low, high = found.mass_kg, *_interval(found.mass_kg, sigma)
    span = f"{low:.2f} to {high:.2f} kg (95 %)"
    if low > 0.0:
        if sigma <= PRECISE * mass:
            com = _com(task, found)
            told = f"{mass:.2f} kg, {span}, more than the model"
            return replace(answer, verdict=Verdict.PAYLOAD, reason=told, com_m=com)
        told = f"something is there, but {span} is all that is known: {_cure(referred)}"
        return replace(answer, reason=told)
    if high < 0.0 or (mass + 0.5 * sigma < 0.0 and _is_heavier(task)):
        told = (
            f"the model is {-mass:.2f} kg heavier than the robot, {-high:.2f} to "
            f"{-low:.2f} kg (95 %)"
        )
        return replace(answer, verdict=Verdict.MODEL_HEAVIER, reason=told)
    small = max(abs(low), abs(high)) <= SMALL_SHARE * task.chain.carried_kg
    if small:
        told = f"nothing heavier than {max(high, 0.0):.2f} kg"
        return replace(answer, verdict=Verdict.NONE, reason=told)
    return replace(answer, reason=f"{span} is all that is known: {_cure(referred)}")


def _is_heavier(task: Task) -> bool:
    """Whether the robot is lighter than the model if only its last link is wrong.

    No payload weighs less than nothing, so that the model is wrong somewhere; the
    interval says how surely it is so at the link.
    """
    strict = fit(replace(task, trust_model=True))
    sigma = task.settings.sigma_scale * strict.sigma(strict.layout.payload)
    return strict.mass_kg + _LIKELY * sigma < 0.0


def _cure(referred: bool) -> str:
    if referred:
        return "the motion, or what is left of friction, shows no more"
    return (
        "so much may be an error of the model; a log without payload tells them "
        "apart (--tare)"
    )


def _interval(mass: float, sigma: float) -> tuple[float, float]:
    return mass - SURE * sigma, mass + SURE * sigma


def _misfit(task: Task, found: Fit) -> str:
    """Why the model does not fit the log; empty if it does."""
    measured = task.logs[0].usable.any(axis=0)
    gains = np.where(measured, found.drives.values[:, 5], 0.0)
    worst = int(np.argmax(np.abs(gains)))
    if found.gain_factor >= GAIN_STEPS[-1] and abs(gains[worst]) > 0.3:
        return (
            f"the torque of {task.chain.names[worst]} is {1.0 + gains[worst]:.2f} "
            "times the model's: gear ratio, torque constant, or another robot"
        )
    share = explained(task.logs[0], found)
    if share < _EXPLAINED:
        return (
            f"model and friction explain only {share:.0%} of the torques: another "
            "robot, other units, or joints in another order"
        )
    return ""


def explained(log: Evidence, found: Fit) -> float:
    """Share of the torques' changes that the fit explains: of the middle joint."""
    shares = []
    torque = log.y + log.nominal
    for j in range(torque.shape[1]):
        rows = log.usable[:, j]
        spread = float(np.var(torque[rows, j])) if rows.sum() > 10 else 0.0
        if spread > 0.0:
            shares.append(1.0 - found.noise_Nm[j] ** 2 / spread)
    return float(np.median(shares)) if shares else 0.0


def _com(task: Task, found: Fit) -> Array | None:
    """Centre in the frame of the link, if it is known to a hand's breadth."""
    start = found.layout.payload
    mass, moment = found.mass_kg, found.theta[start + 1 : start + 4]
    spread = np.array([found.sigma(start + 1 + k) for k in range(3)]) / mass
    if spread.max() > _KNOWN_COM_M:
        return None
    centre: Array = np.asarray(task.chain.placement.actInv(moment / mass))
    return centre


def course(task: Task, found: Fit, width_s: float = 4.0) -> tuple[Array, Array, Array]:
    """Mass over the log with everything else as fitted: times, masses, deviations.

    The payload's shape is that of the fit; where it has none, that of a point at the
    link's frame.
    """
    log, start = task.logs[0], found.layout.payload
    shape = np.zeros(10)
    shape[0], shape[1:4] = 1.0, task.chain.placement.translation
    if abs(found.mass_kg) > 3.0 * found.sigma_mass_kg:
        shape = found.theta[start : start + 10] / found.mass_kg
    column = log.payload @ shape
    weights = found.weights[0]
    there = task.loaded[0][:, None] * column * found.mass_kg
    rest = found.residuals[0] + there
    steps = np.arange(log.time_s[0], log.time_s[-1], 0.5 * width_s)
    times, masses, sigmas = [], [], []
    for begin in steps:
        rows = (log.time_s >= begin) & (log.time_s < begin + width_s)
        known = float(np.sum(weights[rows] * column[rows] ** 2))
        if known <= 0.0:
            continue
        times.append(begin + 0.5 * width_s)
        masses.append(float(np.sum(weights[rows] * column[rows] * rest[rows])) / known)
        sigmas.append(known**-0.5)
    return np.array(times), np.array(masses), np.array(sigmas)
