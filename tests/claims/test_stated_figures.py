"""Whatever README and docs/results.md state is measured again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scenarios.report.scoreboard import Line
from scenarios.report.tables import MISSING
from scenarios.studies.paper.experiment import Report
from scenarios.studies.paper.results_page import stated

pytestmark = pytest.mark.claims

ROOT = Path(__file__).parents[2]
STATED = stated((ROOT / "docs" / "results.md").read_text(encoding="utf-8"))
MEASURED = ("washing", "balance", "runtime_loading", "squat_pickup")
ROWS = [(part, row) for part in MEASURED for row in STATED[part]]
NAMES = [f"{part}: {row[0]}" for part, row in ROWS]
OTHER_MACHINE = 0.03
"""Share by which another processor's rounding may move a figure."""


def _line(report: Report, label: str) -> Line:
    found = [line for line in report.lines if line.cells()[0] == label]
    assert len(found) == 1, f"{label}: must be one figure of the report"
    return found[0]


def test_every_part_is_stated() -> None:
    assert all(STATED[part] for part in MEASURED)


@pytest.mark.parametrize(("part", "row"), ROWS, ids=NAMES)
def test_a_stated_figure_is_the_measured_one(
    measured: dict[str, Report], part: str, row: list[str]
) -> None:
    """The same to the digits printed, give or take another machine's rounding."""
    label, _, ours, _, met = row
    line = _line(measured[part], label)
    print(f"stated {ours}, measured {line.value}")
    if met == "met":
        assert line.met
    if ours == MISSING:
        assert line.value is None
        return
    assert line.value is not None
    digits = 10.0**-line.decimals
    margin = max(digits, OTHER_MACHINE * abs(float(ours)))
    assert line.value == pytest.approx(float(ours), abs=margin)


@pytest.mark.parametrize("part", MEASURED)
def test_nobody_falls_who_should_not(measured: dict[str, Report], part: str) -> None:
    assert measured[part].fallen == ()


def test_the_readme_states_what_the_results_do(measured: dict[str, Report]) -> None:
    """Its table of window washing, to the digits it prints."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = {line.key: line.value for line in measured["washing"].lines}
    for axis in "yz":
        row = re.search(rf"^\| {axis} RMSE \[mm\] \|(.*)\|$", text, re.MULTILINE)
        assert row is not None
        _, _, without, _, with_it = (float(cell) for cell in row[1].split("|"))
        for word, told in (("without", without), ("with", with_it)):
            value = lines[f"{word}_estimator_rmse_{axis}_mm"]
            assert value is not None
            assert value == pytest.approx(told, abs=max(0.1, OTHER_MACHINE * told))
