"""Which runs a sweep is made of: every combination, equal ones once, twins shared."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from scenarios.errors import ScenarioError
from scenarios.library.catalogue import find_scenario
from scenarios.library.run_settings import run_settings
from scenarios.records.run_digest import RunDigests
from scenarios.report.evaluation import twin_of
from scenarios.run.settings import RunSettings

Axes = Mapping[str, tuple[Any, ...]]
"""Values of fields of `RunSettings`; None is the scenario's default."""
Offsets = Mapping[int, tuple[float, float, float]]


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """One run.

    Attributes:
        run_id: Digest of its settings.
        settings: What is run.
        reference: Digest of the run it is compared with; None if with none.
    """

    run_id: str
    settings: RunSettings
    reference: str | None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A sweep, or a part of one.

    Attributes:
        asked: Combinations, equal ones counted each time.
        runs: Those with a row in the table.
        references: Unloaded runs that others are compared with, by digest.
    """

    asked: int
    runs: tuple[PlannedRun, ...]
    references: Mapping[str, RunSettings]

    def shard(self, index: int, count: int) -> Plan:
        """One of several parts of equal size.

        Runs with the same reference are next to each other, and a part is a piece of
        that row: hardly a reference is made twice.

        Args:
            index: From 0 up.
            count: Number of parts.
        """
        order = {name: k for k, name in enumerate(self.references)}
        row = sorted(self.runs, key=lambda run: order.get(run.reference or "", -1))
        start, end = (len(row) * k // count for k in (index, index + 1))
        runs = tuple(row[start:end])
        used = {run.reference for run in runs}
        return Plan(
            asked=len(runs),
            runs=runs,
            references={k: s for k, s in self.references.items() if k in used},
        )


def make_plan(scenario: str, axes: Axes, offsets_m: Offsets | None = None) -> Plan:
    """Every combination of values, the last axis fastest.

    Args:
        scenario: Name of the scenario.
        axes: Values by field.
        offsets_m: Where the load is in the tip's frame, by seed.

    Raises:
        ModelsError: A combination that cannot be run: nothing shall start then.
    """
    digests, make = RunDigests(), _Maker(scenario, offsets_m)
    runs: dict[str, PlannedRun] = {}
    references: dict[str, RunSettings] = {}
    asked = 0
    for values in itertools.product(*axes.values()):
        asked += 1
        settings = make(dict(zip(axes, values, strict=True)))
        run_id = digests(settings)
        if run_id in runs:
            continue
        reference = reference_of(settings)
        name = None if reference is None else digests(reference)
        if name is not None and reference is not None:
            references[name] = reference
        runs[run_id] = PlannedRun(run_id=run_id, settings=settings, reference=name)
    return Plan(asked=asked, runs=tuple(runs.values()), references=references)


class _Maker:
    """Settings of combinations; what does not depend on the seed is found once."""

    def __init__(self, scenario: str, offsets_m: Offsets | None) -> None:
        self._scenario, self._offsets_m = scenario, offsets_m
        self._found: dict[tuple[Any, ...], RunSettings] = {}

    def __call__(self, asked: dict[str, Any]) -> RunSettings:
        seed = asked.get("seed")
        key = tuple(value for name, value in asked.items() if name != "seed")
        if key not in self._found:
            self._found[key] = run_settings(self._scenario, **asked)
        settings = self._found[key]
        changes: dict[str, Any] = {} if seed is None else {"seed": seed}
        if self._offsets_m is not None:
            changes["payload_offset_m"] = self._offsets_m[seed or 0]
        return msgspec.structs.replace(settings, **changes)


def reference_of(settings: RunSettings) -> RunSettings | None:
    """The run that a loaded one is compared with, without a trace of the load.

    A run without load does not know which arm has none, nor when: twins of both arms
    are one run, and so are those of several estimators, where the twin has none.
    """
    twin = twin_of(settings)
    if twin is None:
        return None
    defaults = find_scenario(settings.scenario).defaults
    plain = RunSettings()
    changes: dict[str, Any] = {}
    if not twin.has_estimator:
        changes |= {"prior": plain.prior, "tare_s": plain.tare_s}
    if not twin.has_estimator or twin.tare_s == 0.0:
        at_s = min(defaults.at_s, twin.duration_s)
        changes |= {
            "arm": defaults.arm,
            "at_s": at_s,
            "remove_at_s": None,
            "ramp_s": 0.0,
            "payload_offset_m": plain.payload_offset_m,
        }
    bare = msgspec.structs.replace(twin, **changes)
    loads = find_scenario(settings.scenario).loads
    return bare if loads(bare) == loads(twin) else twin


def parse_shard(text: str) -> tuple[int, int]:
    """Index and number of a part from `I/N`, I from 0 up.

    Raises:
        ScenarioError: Not two such numbers.
    """
    index, _, count = text.partition("/")
    if index.isdecimal() and count.isdecimal() and int(index) < int(count):
        return int(index), int(count)
    raise ScenarioError(
        f"--shard {text}: must be I/N, part I of N, with I from 0 to N - 1"
    )


def cost_s(settings: Iterable[RunSettings]) -> float:
    """Simulated time of several runs."""
    return sum(run.duration_s for run in settings)
