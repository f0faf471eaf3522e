"""Figures beside the paper's, and their spread over seeds."""

from __future__ import annotations

import pytest

from scenarios.report.paper import Goal
from scenarios.report.scoreboard import Line, lines_table, verdict
from scenarios.report.spread import spread_table, spreads

GOOD = Line(
    key="a_mm", label="a", value=3.0, unit="mm", paper=5.0, goal=Goal(at_most=4)
)
SHORT = Line(key="b_pct", label="b", value=80.0, unit="%", goal=Goal(at_least=95.0))
WORDS = Line(key="c", label="c", value=None, paper="inside")


def test_table_shows_ours_paper_goal_and_mark() -> None:
    lines = lines_table("test", [GOOD, SHORT, WORDS]).splitlines()
    assert lines[2].split() == ["a", "[mm]", "3.0", "5.0", "<=", "4", "met"]
    assert lines[3].endswith("SHORT")
    assert lines[4].split() == ["c", "-", "inside"]


def test_verdict_names_what_is_short() -> None:
    told = "goals met: 1 of 2; short: b 80.0 % (goal >= 95)"
    assert verdict([GOOD, SHORT, WORDS]) == told
    lost = Line(key="d", label="d", value=None, goal=Goal(at_most=1.0))
    assert verdict([lost]) == "goals met: 0 of 1; short: d unknown (goal <= 1)"
    assert verdict([GOOD]) == "goals met: 1 of 1"


def test_unknown_value_meets_no_goal() -> None:
    unknown = Line(key="a", label="a", value=None, goal=Goal(at_most=1.0))
    assert unknown.met is None
    assert "0 of 1" in verdict([unknown])


def _seed(value: float | None) -> list[Line]:
    return [Line(key="x_mm", label="x", value=value, unit="mm", goal=Goal(at_most=2.0))]


def test_spread_over_seeds() -> None:
    row = spreads([_seed(1.0), _seed(3.0), _seed(None), _seed(2.0)])[0]
    assert (row.min, row.median, row.max, row.count) == (1.0, 2.0, 3.0, 3)
    assert row.std == pytest.approx((2 / 3) ** 0.5)
    assert row.met_count == 2
    assert "2 of 4 SHORT" in spread_table("s", [row], 4)


def test_spread_of_nothing_known_is_dashes() -> None:
    row = spreads([_seed(None)])[0]
    assert row.median is None
    assert row.met_count == 0
