"""Tables are aligned, honest and complete."""

from __future__ import annotations

import pytest
from sample_records import make_record

from scenarios.report.metrics.run import measure
from scenarios.report.paper import Goal, around
from scenarios.report.tables import render, run_table
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def test_run_table_says_that_the_robot_fell(robot: Robot) -> None:
    assert "FELL" in run_table(measure(make_record(robot, fell=True), robot))
    assert "stood" in run_table(measure(make_record(robot), robot))


def test_unknown_values_are_dashes(robot: Robot) -> None:
    text = run_table(measure(make_record(robot), robot))
    assert "None" not in text
    assert "nan" not in text.lower()


def test_columns_are_aligned() -> None:
    lines = render(("a", "value"), [["long name", "1"], ["b", "1234567"]]).splitlines()
    assert len({len(line) for line in lines[1:2] + lines[3:]}) == 1
    assert lines[2].rindex("1") == lines[3].rindex("7")


@pytest.mark.parametrize(
    ("goal", "value", "met"),
    [
        (Goal(at_most=4.0), 4.0, True),
        (Goal(at_most=4.0), 4.1, False),
        (Goal(at_least=100.0), 99.0, False),
        (around(1.105, 0.01), 1.114, True),
        (around(1.105, 0.01), 1.12, False),
        (Goal(at_most=1.0), None, None),
    ],
)
def test_goals(goal: Goal, value: float | None, met: bool | None) -> None:
    assert goal.met(value) is met
