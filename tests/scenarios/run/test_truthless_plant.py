"""A plant that knows no truth, like a robot on a wire: what nobody knows is absent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from sample_records import make_record

from scenarios.errors import ScenarioError
from scenarios.library.catalogue import find_scenario, scenario_names
from scenarios.records.mcap_log import write_log
from scenarios.records.record import RunRecord
from scenarios.records.record_file import load_record, save_record
from scenarios.report.evaluation import (
    evaluate,
    evaluation_text,
    experiment_figures,
)
from scenarios.report.metrics.run import measure
from scenarios.report.plots import run_figures
from scenarios.report.replay_page import write_animation
from scenarios.report.tables import run_table
from scenarios.run.plant_side import JointReadings, PlantSide
from scenarios.run.runner import Run, run
from scenarios.run.settings import Push, RunSettings
from wbmpc import MujocoPlant, Robot
from wbmpc.plant.interface import SensorReadings
from wbmpc.state_estimation import ContactEkf

SETTINGS = RunSettings(
    at_s=0.3,
    duration_s=0.6,
    truth=False,
    push=Push(at_s=0.4, forward_N=30.0),
)


HIDDEN = ("payload_kg", "wrench_true", "com_m")
"""Only a simulator can record them."""


def leaves(node: object, key: str = "") -> Iterator[tuple[str, object]]:
    """Every value of a tree with its dotted key."""
    if isinstance(node, dict | list):
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for name, child in items:
            yield from leaves(child, f"{key}.{name}")
    else:
        yield key, node


class OnAWire:
    """Readings in, torques out; the load hangs on it because somebody put it there."""

    def __init__(self, robot: Robot) -> None:
        self._hidden = MujocoPlant(robot)
        self.dt_s = self._hidden.dt_s

    @property
    def fault(self) -> str | None:
        return self._hidden.fault

    @property
    def readings(self) -> SensorReadings:
        return self._hidden.readings

    def reset(self, q: np.ndarray) -> None:
        self._hidden.reset(q)

    def step(self, tau_Nm: np.ndarray) -> None:
        self._hidden.step(tau_Nm)


class Watcher:
    """A viewer that keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[tuple] = []

    def update(self, *values: object) -> None:
        self.shown.append(values)


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


@pytest.fixture(scope="module")
def viewer() -> Watcher:
    return Watcher()


@pytest.fixture(scope="module")
def record(robot: Robot, viewer: Watcher) -> RunRecord:
    side = PlantSide(
        OnAWire(robot), JointReadings(SETTINGS, robot), estimator=ContactEkf(robot)
    )
    track = find_scenario(SETTINGS.scenario).motion(robot, SETTINGS.duration_s)
    return Run(SETTINGS, robot, side, track).finish(None, viewer)


def test_it_runs_like_a_plant_whose_truth_is_known(record: RunRecord) -> None:
    """The controller never saw the truth: it makes no difference to it."""
    unloaded = msgspec.structs.replace(SETTINGS, at_s=SETTINGS.duration_s, push=None)
    seen = run(unloaded)
    assert not record.fell and seen.has_truth and not record.has_truth
    np.testing.assert_array_equal(record.tau_Nm, seen.tau_Nm)
    assert seen.base is not None and record.base is not None
    np.testing.assert_array_equal(record.q[:, :3], seen.base.position_m)
    np.testing.assert_array_equal(record.base.position_m, seen.base.position_m)


def test_what_the_schedule_asks_for_is_told(record: RunRecord) -> None:
    told = [sentence for _, sentence in record.events]
    assert told[0] == "by hand: 5 kg on the left forearm"
    assert told[1].startswith("by hand: push of 30 N forward")


def test_what_nobody_knows_is_nan(record: RunRecord) -> None:
    for values in (record.payload_kg, record.wrench_true, record.com_m):
        assert np.isnan(values).all()
    for link in record.links.values():
        assert np.isnan(link.truth).all()
        assert np.isfinite(link.estimate).all() and np.isfinite(link.nominal).all()
    for values in (record.q, record.v, record.tau_Nm, record.wrench_estimated):
        assert np.isfinite(values).all()
    assert all(np.isfinite(tip.world_m).all() for tip in record.tips.values())


def test_metrics_without_truth_are_absent(record: RunRecord, robot: Robot) -> None:
    metrics = measure(record, robot, record)
    assert "nan" not in msgspec.json.encode(metrics).decode().lower()
    assert metrics.base_error is None
    assert set(msgspec.structs.astuple(metrics.ground)) == {None}
    assert metrics.com.drift_mm is None and set(metrics.com.spread_mm.values()) == {
        None
    }
    for link in metrics.links.values():
        known = msgspec.structs.asdict(link)
        assert known["mass_kg"] is not None and known["sigma_mass_kg"] is not None
        absent = [n for n in known if "true" in n or "time_to" in n]
        assert len(absent) == 7 and not any(known[n] for n in absent)
    assert metrics.payloads is not None
    for payload in metrics.payloads.values():
        assert payload.state == "nominal" and payload.attaches is None
        assert payload.false_s is None and payload.attach_delay_s is None
    run_table(metrics)


@pytest.mark.parametrize("scenario", scenario_names())
def test_no_scenario_invents_what_nobody_knows(scenario: str, robot: Robot) -> None:
    """Figures that need the centre of mass, the load or the ground are absent."""
    push = Push(at_s=4.0, forward_N=50.0)
    made = make_record(robot, scenario=scenario, push=push, duration_s=8.0)
    hidden = {
        side: replace(link, truth=np.full_like(link.truth, np.nan))
        for side, link in made.links.items()
    }
    unknown = {name: np.full_like(getattr(made, name), np.nan) for name in HIDDEN}
    blind = replace(made, links=hidden, has_truth=False, **unknown)
    seeing, unseeing = (evaluate(record, robot, record) for record in (made, blind))
    assert "nan" not in msgspec.json.encode(unseeing.experiment).decode().lower()
    evaluation_text(unseeing)
    known, left = (
        dict(leaves(msgspec.to_builtins(metrics.experiment)))
        for metrics in (seeing, unseeing)
    )
    needs_truth = ("com_", "cop_", ".com.", "recovered_after", "true")
    for key, value in known.items():
        if value is not None and any(word in key for word in needs_truth):
            assert left[key] is None, key


@pytest.mark.parametrize("scenario", scenario_names())
def test_pictures_can_be_drawn(
    scenario: str, record: RunRecord, robot: Robot, tmp_path: Path
) -> None:
    settings = msgspec.structs.replace(record.settings, scenario=scenario)
    shown = {"with_estimator": replace(record, settings=settings)}
    figures = run_figures(robot, shown) | experiment_figures(robot, shown)
    for draw in figures.values():
        draw().canvas.draw()
    write_animation(tmp_path / "replay.html", robot, record)


def test_the_viewer_draws_no_load(viewer: Watcher, record: RunRecord) -> None:
    assert len(viewer.shown) == len(record.time_s)
    _, q, loads, drawn = viewer.shown[0]
    assert np.isfinite(q).all() and np.all(loads == 0.0) and drawn.shape == (2, 7)


def test_record_and_log_hold_it(record: RunRecord, tmp_path: Path) -> None:
    save_record(tmp_path / "run.npz", record, {})
    again = load_record(tmp_path / "run.npz")
    assert not again.has_truth and np.isnan(again.payload_kg).all()
    write_log(tmp_path / "log.mcap", record)
    from mcap.reader import make_reader

    with (tmp_path / "log.mcap").open("rb") as stream:
        summary = make_reader(stream).get_summary()
    assert summary is not None
    topics = {channel.topic for channel in summary.channels.values()}
    assert "/feet/left/wrench_estimated" in topics
    assert "/feet/left/wrench" not in topics


def test_a_plant_without_truth_needs_an_estimator(robot: Robot) -> None:
    with pytest.raises(ScenarioError, match="needs an estimator"):
        PlantSide(OnAWire(robot), JointReadings(SETTINGS, robot))
