"""A scenario is one object: found in its folder, or registered by whoever wrote it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from sample_records import make_record

from models.errors import UnknownNameError
from scenarios import library
from scenarios.errors import ScenarioError
from scenarios.library import catalogue
from scenarios.library.catalogue import (
    defaults_text,
    find_scenario,
    register,
    scenario_names,
)
from scenarios.library.run_settings import run_settings
from scenarios.library.scenario import Defaults, Scenario, unloaded
from scenarios.library.standing import stand
from scenarios.records.record import RunRecord
from scenarios.report.evaluation import (
    evaluate,
    evaluation_text,
    experiment_figures,
    twin_of,
)
from scenarios.report.scoreboard import Line, field_line
from scenarios.run.runner import run
from wbmpc.robot import Robot

ROOT = Path(__file__).resolve().parents[3]
OF_THE_PAPER = {"balance", "runtime_loading", "squat_pickup", "window_washing"}
FILES = Path(library.__file__).parent.glob("*.py")
NAMES = {f.stem for f in FILES if "\nSCENARIO = " in f.read_text(encoding="utf-8")}


class LeanMetrics(msgspec.Struct, frozen=True, kw_only=True):
    lean_mm: float


def measure_lean(
    record: RunRecord, robot: Robot, twin: RunRecord | None = None
) -> LeanMetrics:
    del robot, twin
    return LeanMetrics(lean_mm=float(1e3 * record.com_m[-1, 0]))


def lean_lines(measured: LeanMetrics) -> list[Line]:
    return [field_line(measured, "lean_mm", "leans forward")]


LEANING = Scenario(
    name="leaning",
    summary="lean forward",
    motion=stand,
    defaults=Defaults(payload_kg=1.5, duration_s=5.0),
    measures=measure_lean,
    lines=lean_lines,
)


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(catalogue, "_registered", {})
    yield


def test_every_file_of_the_folder_is_found() -> None:
    assert set(scenario_names()) == NAMES > OF_THE_PAPER
    for name in NAMES:
        assert (Path(library.__file__).parent / f"{name}.py").is_file()
        assert find_scenario(name).name == name


def test_each_says_in_one_line_what_it_is() -> None:
    for name in NAMES:
        summary = find_scenario(name).summary
        assert summary
        assert "\n" not in summary


def test_help_lists_every_scenario() -> None:
    for name in scenario_names():
        assert name in defaults_text()


def test_shortened_runs_fit() -> None:
    for name in NAMES:
        scenario = find_scenario(name)
        settings = run_settings(name, **scenario.quick)
        assert settings.duration_s <= scenario.defaults.duration_s


def test_one_of_ones_own_is_known_by_its_name(robot: Robot) -> None:
    register(LEANING)
    assert set(scenario_names()) == NAMES | {"leaning"}
    assert "leaning: 1.5 kg left at 3 s, 5 s long" in defaults_text()
    settings = run_settings("leaning")
    assert settings.payload_kg == 1.5
    assert twin_of(settings) == unloaded(settings)
    record = make_record(robot, **msgspec.structs.asdict(settings))
    metrics = evaluate(record, robot)
    assert metrics.experiment == LeanMetrics(lean_mm=0.0)
    assert "leans forward [mm]" in evaluation_text(metrics)
    assert experiment_figures(robot, {"with_estimator": record}) == {}


def test_registered_again_it_is_replaced_but_not_a_shipped_one() -> None:
    register(LEANING)
    register(Scenario(name="leaning", summary="anew", motion=stand))
    assert find_scenario("leaning").summary == "anew"
    with pytest.raises(ScenarioError, match="balance: the name is taken"):
        register(Scenario(name="balance", summary="mine", motion=stand))


@pytest.mark.parametrize("name", ["", "a b", "../up", "1st"])
def test_names_that_no_file_can_have_are_refused(name: str) -> None:
    with pytest.raises(ScenarioError, match="letters, digits"):
        Scenario(name=name, summary="odd", motion=stand)


def test_what_is_not_registered_is_unknown() -> None:
    with pytest.raises(UnknownNameError, match="leaning"):
        find_scenario("leaning")


def test_finding_them_all_imports_nothing_heavy() -> None:
    code = (
        "import sys; from scenarios.library.catalogue import defaults_text; "
        "defaults_text(); "
        "heavy = 'numpy scipy pinocchio matplotlib wbmpc teleop'.split(); "
        "sys.exit(str([name for name in heavy if name in sys.modules] or ''))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        check=False,
    )
    assert done.stderr.strip() == ""


def test_one_of_ones_own_runs_in_the_closed_loop() -> None:
    register(LEANING)
    record = run(run_settings("leaning", at_s=0.1, duration_s=0.3))
    assert not record.fell
    assert record.payload_kg[-1] == pytest.approx([1.5, 0.0])
