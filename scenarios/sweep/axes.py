"""Options of a sweep, and the fields of a run's settings whose values they list."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from models.errors import UnknownNameError
from scenarios.errors import ScenarioError
from scenarios.sweep.values import integers, numbers, parts_of, vectors, words

NONE = "none"
"""Of an option that stands for something that need not be there."""

Reader = Callable[[str, str], tuple[Any, ...]]


def axes_of(asked: Mapping[str, str | None], changes: Sequence[str]) -> dict[str, Any]:
    """Values by field, from what a user wrote.

    Args:
        asked: Lists by option, without its dashes; None where nothing was written.
        changes: `KEY=VALUE,VALUE` changes of the robot's settings, each an axis.

    Raises:
        ModelsError: A value that cannot be.
    """
    axes: dict[str, tuple[Any, ...]] = {}
    given = {name: text for name, text in asked.items() if text is not None}
    for name, (field, read) in READERS.items():
        if name in given:
            axes[field] = read(f"--{name}", given[name])
    _add_pushes(axes, given)
    if changes:
        axes["overrides"] = _overrides(changes)
    if "seed" in axes:  # the fastest
        axes["seed"] = axes.pop("seed")
    return axes


def offsets(sd_m: float, seeds: Sequence[int]) -> dict[int, tuple[float, float, float]]:
    """Where a load is in the tip's frame [m], drawn for each seed: normal on each axis.

    The same for all loads, arms and settings of a seed, so that they can be compared.

    Raises:
        ScenarioError: A spread that cannot be.
    """
    if not math.isfinite(sd_m) or not 0.0 <= sd_m <= 0.5:
        raise ScenarioError(
            f"--payload-offset-sd {sd_m:g}: must be between 0 and 0.5 m"
        )
    found = {}
    for seed in seeds:
        drawn = np.random.default_rng([seed, 0x0FF5E7]).normal(0.0, sd_m, 3)
        found[seed] = (float(drawn[0]), float(drawn[1]), float(drawn[2]))
    return found


def _overrides(changes: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Every combination of the changes' values."""
    lists = []
    for change in changes:
        key, equals, values = change.partition("=")
        if not equals or not key.strip():
            raise ScenarioError(f"--set {change}: must be KEY=VALUE,VALUE")
        parts = parts_of(f"--set {key}=", values)
        lists.append([f"{key.strip()}={value}" for value in parts])
    return tuple(itertools.product(*lists))


def _add_pushes(axes: dict[str, tuple[Any, ...]], given: Mapping[str, str]) -> None:
    """Forces, starts and durations of a push are one setting: their combinations."""
    from scenarios.run.settings import Push

    late = [name for name in ("push-at", "push-for") if name in given]
    if "push" not in given:
        if late:
            raise ScenarioError(f"--{late[0]}: is for a push; give --push, too")
        return
    forces = [
        () if text == NONE else vectors("--push", text, 2)[0]
        for text in parts_of("--push", given["push"])
    ]
    starts = numbers("--push-at", given.get("push-at", "8"))
    durations = numbers("--push-for", given.get("push-for", "0.1"))
    pushes: list[Push | None] = []
    for force, at_s, for_s in itertools.product(forces, starts, durations):
        push = None
        if force:
            forward_N, left_N = force
            push = Push(at_s=at_s, duration_s=for_s, forward_N=forward_N, left_N=left_N)
        if push not in pushes:
            pushes.append(push)
    axes["push"] = tuple(pushes)


def _one_of(*choices: str) -> Reader:
    def read(option: str, text: str) -> tuple[str, ...]:
        found = words(option, text)
        for word in found:
            if word not in choices:
                raise ScenarioError(
                    f"{option} {word}: must be one of {', '.join(choices)}"
                )
        return found

    return read


def _estimators(option: str, text: str) -> tuple[str, ...]:
    from scenarios.run.estimators import ESTIMATORS
    from scenarios.run.settings import NO_ESTIMATOR

    known = (NO_ESTIMATOR, *ESTIMATORS)
    for name in words(option, text):
        if name not in known:
            raise UnknownNameError("estimator", name, known)
    return words(option, text)


def _robots(option: str, text: str) -> tuple[str, ...]:
    """Names, or absolute paths of settings: a worker may be in another folder."""
    import os

    from models import robot_names

    known = robot_names()
    return tuple(
        name if name in known else os.path.abspath(name) for name in words(option, text)
    )


def _priors(option: str, text: str) -> tuple[str, ...]:
    read = _one_of("none", "inertia-only", "all")(option, text)
    return tuple(name.replace("-", "_") for name in read)


def _removals(option: str, text: str) -> tuple[float | None, ...]:
    if text == NONE:
        return (None,)
    return numbers(option, text)


def _starts(option: str, text: str) -> tuple[Any, ...]:
    from scenarios.run.settings import Start

    return tuple(
        Start(forward_m=forward, left_m=left, turn_deg=turn)
        for forward, left, turn in vectors(option, text, 3)
    )


def _faults(option: str, text: str) -> tuple[Any, ...]:
    from scenarios.run.sensor_faults import parse_fault

    return tuple(
        () if part == NONE else (parse_fault(part),) for part in words(option, text)
    )


def _ideals(option: str, text: str) -> tuple[Any, ...]:
    return tuple(() if part == NONE else (part,) for part in words(option, text))


READERS: dict[str, tuple[str, Reader]] = {
    "robot": ("robot", _robots),
    "plant": ("plant", _one_of("clean", "hardware_twin")),
    "ideal": ("ideal", _ideals),
    "base-estimator": ("base_estimator", _one_of("contact_ekf", "fixed_feet")),
    "estimator": ("estimator", _estimators),
    "prior": ("prior", _priors),
    "tare": ("tare_s", numbers),
    "fault": ("faults", _faults),
    "start": ("start", _starts),
    "duration": ("duration_s", numbers),
    "payload": ("payload_kg", numbers),
    "payload-offset": ("payload_offset_m", partial(vectors, length=3)),
    "arm": ("arm", _one_of("left", "right", "both")),
    "at": ("at_s", numbers),
    "remove-at": ("remove_at_s", _removals),
    "ramp": ("ramp_s", numbers),
    "seed": ("seed", integers),
}
"""Field and reader by option; the later ones change faster."""
