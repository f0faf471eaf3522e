"""The supervised estimate in closed loop: loads on and off, standing, the twin."""

from __future__ import annotations

import numpy as np
import pytest

from scenarios.library.loads.schedule import LoadEvent
from scenarios.records.record import RunRecord
from scenarios.report.metrics.payload import PayloadMetrics, payload_metrics
from scenarios.run import runner
from scenarios.run.settings import RunSettings

CYCLE_S = 4.0


class _Loads:
    """A schedule of loads in place of the scenario's own."""

    def __init__(self, loads: list[LoadEvent]) -> None:
        self._loads = loads

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        original = runner.Disturbances

        def build(settings: RunSettings, robot: object) -> object:
            disturbances = original(settings, robot)
            disturbances._loads = list(self._loads)
            return disturbances

        monkeypatch.setattr(runner, "Disturbances", build)


def _cycles(count: int, mass_kg: float) -> _Loads:
    loads = []
    for k in range(count):
        for offset_s, held in ((3.0, mass_kg), (5.0, 0.0)):
            at_s = offset_s + CYCLE_S * k
            loads.append(
                LoadEvent(time_s=at_s, sides=("left",), mass_kg=held, ramp_s=0.0)
            )
    return _Loads(loads)


def _sides(record: RunRecord) -> tuple[PayloadMetrics, PayloadMetrics]:
    metrics = payload_metrics(record)
    assert metrics is not None
    print(metrics)
    return metrics["left"], metrics["right"]


def _cycle_run(monkeypatch: pytest.MonkeyPatch, count: int) -> RunRecord:
    _cycles(count, 5.0).install(monkeypatch)
    return runner.run(RunSettings(duration_s=3.0 + CYCLE_S * count))


def _check_cycles(record: RunRecord, count: int) -> None:
    left, right = _sides(record)
    assert not record.fell
    assert left.attaches == count
    assert left.attach_delay_s is not None and left.attach_delay_s <= 0.3
    assert left.to_10pct_s is not None and left.to_10pct_s <= 0.6
    assert left.detach_delay_s is not None and left.detach_delay_s <= 0.3
    assert left.false_s == right.false_s == 0.0
    payload = record.links["left"].payload
    assert payload is not None
    assert payload.mass_kg.min() >= 0.0
    assert payload.mass_kg[-1] <= 0.05
    assert np.array_equal(
        record.links["left"].published[-1], record.links["left"].nominal
    )


def test_two_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    _check_cycles(_cycle_run(monkeypatch, 2), 2)


@pytest.mark.slow
def test_twenty_cycles_end_where_they_began(monkeypatch: pytest.MonkeyPatch) -> None:
    _check_cycles(_cycle_run(monkeypatch, 20), 20)


@pytest.mark.slow
def test_standing_for_a_minute_nothing_leaks() -> None:
    record = runner.run(RunSettings(scenario="standing", duration_s=63.0))
    left, right = _sides(record)
    assert abs(left.payload_kg - 5.0) < 0.1
    bare = record.links["right"]
    assert np.abs(bare.estimate[:, 0] - bare.nominal[0]).max() <= 0.1
    assert right.false_s == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["window_washing", "squat_pickup"])
@pytest.mark.parametrize("plant", ["clean", "hardware_twin"])
def test_ten_minutes_without_a_load_raise_no_alarm(scenario: str, plant: str) -> None:
    """Twenty seeds of half a minute on the twin: ten minutes of different robots."""
    seeds = range(20) if plant == "hardware_twin" else range(1)
    duration_s = 30.0 if plant == "hardware_twin" else 600.0
    for seed in seeds:
        settings = RunSettings(
            scenario=scenario,
            payload_kg=0.0,
            plant=plant,
            seed=seed,
            duration_s=duration_s,
        )
        left, right = _sides(runner.run(settings))
        assert left.false_s == right.false_s == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 50])
def test_intervals_hold_the_load_on_fifty_twins(first: int) -> None:
    """Different robots, loads and sides."""
    held = []
    for seed in range(first, first + 50):
        rng = np.random.default_rng(seed)
        settings = RunSettings(
            payload_kg=float(rng.uniform(2.0, 6.0)),
            arm="left" if seed % 2 else "right",
            plant="hardware_twin",
            seed=seed,
            at_s=2.5,
            duration_s=6.0,
        )
        record = runner.run(settings)
        report = record.links[settings.arm].payload
        assert report is not None
        half = 1.96 * report.sigma_mass_kg[-1]
        held.append(abs(report.mass_kg[-1] - settings.payload_kg) <= half)
    print(f"{sum(held)} of 50 inside")
    assert 45 <= sum(held)
