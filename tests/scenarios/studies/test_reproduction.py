"""The page of all results, with the simulation replaced by synthetic runs."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from sample_records import make_record

from scenarios.cli import main
from scenarios.records.record import RunRecord
from scenarios.run.settings import RunSettings
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


@pytest.fixture
def made(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> list[RunSettings]:
    """Replace the simulation; returns what was simulated."""
    asked: list[RunSettings] = []

    def run(settings: RunSettings, *, on_tick: object) -> RunRecord:
        del on_tick
        asked.append(settings)
        fields = {f: getattr(settings, f) for f in settings.__struct_fields__}
        total = settings.payload_kg * (2 if settings.arm == "both" else 1)
        fell = total > (20.0 if settings.has_estimator else 8.0)
        return make_record(robot, sag_mm=3.0, fell=fell, **fields)

    monkeypatch.setattr("scenarios.run.runner.run", run)
    return asked


def _argv(out: Path, *more: str) -> list[str]:
    return ["reproduce", "--jobs", "1", "--seeds", "2", "--out", str(out), *more]


class _Links(HTMLParser):
    """Everything a page would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self.sources += [v or "" for k, v in attrs if k in ("src", "href")]


@pytest.mark.slow
def test_page_holds_everything_and_fetches_nothing(
    made: list[RunSettings], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(_argv(tmp_path, "--json")) == 0
    page = (tmp_path / "index.html").read_text()
    links = _Links()
    links.feed(page)
    assert all(s.startswith(("data:image/png;base64,", "#")) for s in links.sources)
    figures = {p.stem for p in (tmp_path / "pictures").glob("*.png")}
    for number in (3, 4, 5, 6, 7, 8):
        assert any(name.startswith(f"fig{number}") for name in figures), number
    for words in ("389.2", "Table VI", "SHORT", "crocoddyl", "0 to 1"):
        assert words in page
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "metrics.json").read_text())
    assert set(printed["experiments"]) == {
        "washing",
        "balance",
        "tipping",
        "runtime_loading",
        "squat_pickup",
        "ablation",
        "seeds",
    }
    first = len(made)
    assert main(_argv(tmp_path)) == 0
    assert len(made) == first, "finished runs are not made again"


def test_parts_can_be_chosen(
    made: list[RunSettings], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(_argv(tmp_path, "--quick", "--only", "balance", "tipping")) == 0
    assert {s.scenario for s in made} == {"balance"}
    out = capsys.readouterr().out
    assert "largest load it stands with, with estimator" in out
    stands = re.search(r"stands with, with estimator \[kg\]\s+(\S+)", out)
    assert stands is not None
    assert 16.0 <= float(stands.group(1)) <= 20.0


def test_seeds_of_one_scenario(
    made: list[RunSettings], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["seeds", "runtime_loading", "--seeds", "3", "--jobs", "1"]
    assert main([*argv, "--out", str(tmp_path)]) == 0
    assert sorted(s.seed for s in made) == [0, 1, 2]
    assert {s.plant for s in made} == {"hardware_twin"}
    assert "met by" in capsys.readouterr().out


def test_tipping_prints_json(
    made: list[RunSettings], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["tipping", "--json", "--tolerance", "2", "--jobs", "1"]
    assert main([*argv, "--out", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["with"]["stands_kg"] == 20.0
    assert found["without"]["stands_kg"] == 8.0
    assert made


def test_interrupted_reproduction_says_what_is_kept(
    robot: Robot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(settings: RunSettings, *, on_tick: object) -> RunRecord:
        del on_tick
        if settings.seed == 1:
            raise KeyboardInterrupt
        fields = {f: getattr(settings, f) for f in settings.__struct_fields__}
        return make_record(robot, **fields)

    monkeypatch.setattr("scenarios.run.runner.run", run)
    argv = ["seeds", "balance", "--seeds", "2", "--jobs", "1", "--out", str(tmp_path)]
    assert main(argv) == 130
    assert "finished runs are kept" in capsys.readouterr().err
    assert len(list((tmp_path / "finished").glob("balance-*.npz"))) == 1


def test_fallen_twin_is_exit_code_1(
    robot: Robot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(settings: RunSettings, *, on_tick: object) -> RunRecord:
        del on_tick
        fields = {f: getattr(settings, f) for f in settings.__struct_fields__}
        return make_record(robot, fell=settings.seed == 1, **fields)

    monkeypatch.setattr("scenarios.run.runner.run", run)
    argv = ["seeds", "balance", "--seeds", "2", "--jobs", "1", "--out", str(tmp_path)]
    assert main(argv) == 1
    assert "balance 1 ended badly" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["reproduce", "--only", "fig9"], "fig9"),
        (["reproduce", "--seeds", "0"], "--seeds 0"),
        (["reproduce", "--jobs", "0"], "--jobs 0"),
        (["seeds", "nothing"], "nothing"),
        (["tipping", "--tolerance", "0"], "--tolerance 0"),
        (["tipping", "--set", "mpc.nods=3"], "nods"),
    ],
)
def test_bad_input_is_one_sentence(
    argv: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*argv, "--out", str(tmp_path / "out")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert told in captured.err
    assert "Traceback" not in captured.err
    assert not (tmp_path / "out").exists()
