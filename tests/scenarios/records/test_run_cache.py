"""Runs on disk: nothing is lost, nothing stale or half written is used."""

from __future__ import annotations

import dataclasses
import importlib
import json
from pathlib import Path

import numpy as np
import pytest
from sample_records import make_record

from scenarios.errors import ScenarioError
from scenarios.library import catalogue
from scenarios.library.catalogue import register
from scenarios.library.scenario import Scenario
from scenarios.records import run_cache
from scenarios.records.record import RunRecord
from scenarios.records.record_file import load_record, read_notes, save_record
from scenarios.records.run_cache import RunCache
from scenarios.records.source_digest import _files, source_digest
from scenarios.run.lab import Lab, merged
from scenarios.run.settings import Push, RunSettings
from wbmpc.robot import Robot

SHORT = RunSettings(duration_s=0.3, at_s=0.1, push=Push(at_s=0.2, left_N=5.0))


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def _record(robot: Robot, settings: RunSettings = SHORT) -> RunRecord:
    fields = {f: getattr(settings, f) for f in settings.__struct_fields__}
    return make_record(robot, **fields)


def _assert_equal(a: object, b: object) -> None:
    assert type(a) is type(b)
    if dataclasses.is_dataclass(a):
        for field in dataclasses.fields(a):
            _assert_equal(getattr(a, field.name), getattr(b, field.name))
    elif isinstance(a, np.ndarray):
        assert isinstance(b, np.ndarray)
        assert a.dtype == b.dtype
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    elif isinstance(a, dict):
        assert isinstance(b, dict)
        assert a.keys() == b.keys()
        for key in a:
            _assert_equal(a[key], b[key])
    else:
        assert a == b


def test_record_comes_back_as_it_was(robot: Robot, tmp_path: Path) -> None:
    record = _record(robot)
    record.com_m[1] = np.nan
    save_record(tmp_path / "run.npz", record, {"source": "here"})
    _assert_equal(load_record(tmp_path / "run.npz"), record)
    assert read_notes(tmp_path / "run.npz") == {"source": "here"}
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]


@pytest.mark.parametrize(
    ("written", "name"), [(True, "ekf_supervised"), (False, "none")]
)
def test_a_record_from_before_estimators_had_names_still_reads(
    written: bool, name: str, robot: Robot, tmp_path: Path
) -> None:
    path, made = tmp_path / "run.npz", _record(robot)
    save_record(path, made, {})
    with np.load(path) as file:
        arrays = dict(file)
    tree = json.loads(arrays["__record__"].tobytes())
    tree["record"]["settings"]["estimator"] = written
    arrays["__record__"] = np.frombuffer(json.dumps(tree).encode(), dtype=np.uint8)
    np.savez_compressed(path, **arrays)
    assert load_record(path).settings.estimator == name


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04nonsense", b"text"])
def test_damaged_file_is_no_run(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    path.write_bytes(content)
    assert read_notes(path) is None
    with pytest.raises(ScenarioError, match="run.npz"):
        load_record(path)


def test_cut_file_is_no_run(robot: Robot, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    save_record(path, _record(robot), {})
    path.write_bytes(path.read_bytes()[:-200])
    assert read_notes(path) is None


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"payload_kg": 5.5},
        {"plant": "hardware_twin"},
        {"ideal": ("friction",)},
        {"tare_s": 0.05},
        {"friction_compensation": False},
        {"push": None},
        {"overrides": ("mpc.nodes=20",)},
        {"scenario": "standing"},
        {"estimator": "ekf"},
    ],
)
def test_other_settings_are_another_run(change: dict, tmp_path: Path) -> None:
    cache = RunCache(tmp_path)
    fields = {f: getattr(SHORT, f) for f in SHORT.__struct_fields__}
    assert cache.path(RunSettings(**(fields | change))) != cache.path(SHORT)


def test_changed_program_makes_runs_stale(
    robot: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = RunCache(tmp_path)
    cache.put(_record(robot))
    assert cache.has(SHORT)
    assert cache.get(SHORT) is not None
    monkeypatch.setattr(run_cache, "source_digest", lambda: "another")
    assert not RunCache(tmp_path).has(SHORT)
    assert RunCache(tmp_path, keep_old=True).has(SHORT)


def test_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ScenarioError, match="--out"):
        RunCache(tmp_path / "file" / "inside")


def test_digest_covers_what_a_run_needs_and_no_reports() -> None:
    names = {path.name for path in _files()}
    needed = {"runner.py", "gestures.py", "mujoco_plant.py", "alexander.urdf"}
    assert needed | {"balance.py", "washing.py"} <= names
    assert not {"page.py", "tables.py", "scoreboard.py", "support.py"} & names
    assert source_digest() == source_digest()


def test_digest_covers_scenarios_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "_registered", {})
    digests = [source_digest()]
    for count in (1, 2):
        path = tmp_path / f"wave{count}.py"
        path.write_text(f"def wave(robot, duration_s): return {count}\n")
        monkeypatch.syspath_prepend(tmp_path)
        motion = importlib.import_module(path.stem).wave
        register(Scenario(name="wave", summary="wave", motion=motion))
        digests.append(source_digest())
    assert len(set(digests)) == 3


@pytest.fixture
def made(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> list[RunSettings]:
    """Replace the simulation; returns what was simulated."""
    asked: list[RunSettings] = []

    def run(settings: RunSettings, *, on_tick: object) -> RunRecord:
        del on_tick
        asked.append(settings)
        if settings.seed == 13:
            raise KeyboardInterrupt
        return _record(robot, settings)

    monkeypatch.setattr("scenarios.run.runner.run", run)
    return asked


def _seeded(*seeds: int) -> dict[str, RunSettings]:
    return {str(s): RunSettings(duration_s=0.2, at_s=0.1, seed=s) for s in seeds}


def test_lab_makes_each_run_once(made: list[RunSettings], tmp_path: Path) -> None:
    lab = Lab(RunCache(tmp_path))
    records = lab.runs(_seeded(0, 1))
    assert {name: r.settings.seed for name, r in records.items()} == {"0": 0, "1": 1}
    again = Lab(RunCache(tmp_path))
    again.runs(_seeded(1, 2))
    assert [s.seed for s in made] == [0, 1, 2]
    assert (again.made, again.found) == (1, 1)


def test_interrupted_lab_keeps_what_was_finished(
    made: list[RunSettings], tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        Lab(RunCache(tmp_path)).prepare(_seeded(0, 13, 2))
    lab = Lab(RunCache(tmp_path))
    lab.prepare(_seeded(0, 2))
    assert [s.seed for s in made] == [0, 13, 2]


def test_equal_runs_are_planned_once() -> None:
    first, second = _seeded(0, 1), {"other": _seeded(1)["1"], "new": _seeded(2)["2"]}
    assert list(merged([first, second])) == ["0", "1", "new"]
