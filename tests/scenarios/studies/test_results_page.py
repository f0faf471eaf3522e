"""Marked tables of a page: filled, read back, left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.errors import UnknownNameError
from scenarios.errors import ScenarioError
from scenarios.report.paper import Goal
from scenarios.report.scoreboard import Line
from scenarios.studies.paper.experiment import Experiment, Report
from scenarios.studies.paper.results_page import stated, write_figures

PAGE = """# Figures

<!-- figures: here -->
old
<!-- end -->

Words between.

<!-- table: here/More of it -->
<!-- end -->

<!-- figures: elsewhere -->
| stays |
<!-- end -->
"""
LINES = [
    Line(key="a_mm", label="a", value=1.234, unit="mm", goal=Goal(at_most=2.0)),
    Line(key="b_mm", label="b", value=3.0, unit="mm", paper=4.0),
    Line(key="c", label="c", value=None, goal=Goal(at_most=2.0)),
]


def _parts(**tables: str) -> list[tuple[Experiment, Report]]:
    def evaluate(lab: object, robot: object) -> Report:
        raise AssertionError((lab, robot))

    experiment = Experiment(key="here", title="", about="", runs={}, evaluate=evaluate)
    return [(experiment, Report(lines=LINES, tables=tables))]


def test_marked_tables_are_replaced_and_all_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    assert write_figures(path, _parts(**{"More of it": "x  y\n1  2"})) == 2
    text = path.read_text(encoding="utf-8")
    assert "old" not in text and "```\nx  y\n1  2\n```\n<!-- end -->" in text
    assert "Words between." in text and "| stays |" in text
    assert stated(text)["here"] == [
        ["a [mm]", "", "1.2", "<= 2", "met"],
        ["b [mm]", "4.0", "3.0", "", ""],
        ["c", "", "-", "<= 2", "-"],
    ]
    write_figures(path, _parts(**{"More of it": "x  y\n1  2"}))
    assert path.read_text(encoding="utf-8") == text


def test_a_table_that_no_part_has_is_named(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    with pytest.raises(UnknownNameError, match="More of it"):
        write_figures(path, _parts())
    assert path.read_text(encoding="utf-8") == PAGE


def test_a_page_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="nowhere.md"):
        write_figures(tmp_path / "nowhere.md", _parts())
