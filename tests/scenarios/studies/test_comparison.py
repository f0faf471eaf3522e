"""A comparison is measured against one path, and beside the paper where it can be."""

from __future__ import annotations

import msgspec
import pytest
from sample_records import make_record

from scenarios.library.window_washing import GOALS, PAPER
from scenarios.run.settings import RunSettings
from scenarios.studies.comparison import (
    PRIOR_REGIMES,
    VARIANTS,
    Comparison,
    compare,
    gather,
    plan_runs,
)
from scenarios.studies.comparison_table import comparison_table
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def _comparison(
    robot: Robot, sag_mm: float = 3.0, *, estimators: bool = False, **settings: object
) -> Comparison:
    sags = {"unloaded": 0.0, "without_estimator": 390.0}
    plan = plan_runs(
        RunSettings(duration_s=6.0, **settings), priors=True, estimators=estimators
    )
    records = {
        name: make_record(
            robot,
            sag_mm=sags.get(name, sag_mm),
            **{f: getattr(s, f) for f in s.__struct_fields__},
        )
        for name, s in plan.items()
    }
    return compare(gather(records), robot)


def test_plan_has_every_regime_once() -> None:
    plan = plan_runs(RunSettings(), priors=True)
    with_estimator = [s.prior for s in plan.values() if s.has_estimator]
    assert sorted(with_estimator) == ["all", "inertia_only", "none"]
    assert plan["unloaded"].payload_kg == 0.0
    assert not plan["without_estimator"].has_estimator
    assert len(plan_runs(RunSettings(), priors=False)) == 3


def test_every_variant_of_the_filter_has_its_figures(robot: Robot) -> None:
    comparison = _comparison(robot, estimators=True)
    assert list(comparison.estimators) == list(VARIANTS)
    names = [m.estimator_name for m in comparison.estimators.values()]
    assert names == list(VARIANTS.values())
    assert all(m.tip and m.links for m in comparison.estimators.values())
    assert {m.estimator_name for m in comparison.table_v.values()} == {"ekf_published"}
    assert [m.prior for m in comparison.table_v.values()] == list(PRIOR_REGIMES)
    text = comparison_table(comparison)
    assert "supervised_unplaced" in text
    assert text.count("RMS deviation from nominal") == 2


def test_ratio_is_without_over_with(robot: Robot) -> None:
    comparison = _comparison(robot)
    assert comparison.ratio_z == pytest.approx(130.0)
    assert comparison.ratio_y is None or comparison.ratio_y > 0.0


def test_goal_met_and_short_are_marked(robot: Robot) -> None:
    good, bad = _comparison(robot), _comparison(robot, sag_mm=13.0)
    assert good.goals["rmse_z_mm"].met is True
    assert bad.goals["rmse_z_mm"].met is False
    assert bad.goals["ratio_z"].met is False
    z_line = next(x for x in comparison_table(bad).splitlines() if "z, settled" in x)
    assert z_line.endswith("SHORT")
    for figure in ("390.0", "13.00", "389.2", "14.2", "<= 4"):
        assert figure in z_line


def test_what_is_short_is_named_with_value_and_goal(robot: Robot) -> None:
    bad = _comparison(robot, sag_mm=13.0)
    slow = msgspec.structs.replace(bad.without_estimator, real_time_factor=0.89)
    bad = msgspec.structs.replace(bad, without_estimator=slow)
    lines = comparison_table(bad).splitlines()
    (goals,) = [x for x in lines if x.startswith("goals met")]
    assert "rmse_z_mm 13 (goal <= 4)" in goals
    assert "slower than real time: 0.89x without estimator (goal >= 1x)" in lines
    (outcome,) = [x for x in lines if x.strip().startswith("without estimator")]
    assert "SHORT" not in outcome
    assert "0.89x" in outcome


def test_a_prior_that_is_short_says_in_what(robot: Robot) -> None:
    comparison = _comparison(robot)
    metrics = comparison.priors["inertia_only"]
    name = next(n for n, m in metrics.links.items() if m.side == "left")
    link = msgspec.structs.replace(metrics.links[name], d=0.5, s=0.0)
    metrics = msgspec.structs.replace(metrics, links={**metrics.links, name: link})
    priors = {**comparison.priors, "inertia_only": metrics}
    comparison = msgspec.structs.replace(comparison, priors=priors)
    rows = [x for x in comparison_table(comparison).splitlines() if "ours" in x]
    (row,) = [x for x in rows if x.strip().startswith("inertia_only")]
    assert row.endswith("SHORT: d")


def test_table_v_has_three_regimes_and_the_papers_two(robot: Robot) -> None:
    text = comparison_table(_comparison(robot))
    table = text[text.index("RMS deviation from nominal") :]
    assert sum("ours" in line for line in table.splitlines()) == 3
    assert sum("paper" in line for line in table.splitlines()[:8]) == 2
    assert "4e-05" in table


def test_other_payload_is_not_held_against_the_paper(robot: Robot) -> None:
    comparison = _comparison(robot, payload_kg=2.0)
    assert comparison.paper is None
    assert comparison.goals == {}
    assert "389.2" not in comparison_table(comparison)


def test_every_goal_is_about_a_figure(robot: Robot) -> None:
    goals = _comparison(robot).goals
    assert goals.keys() == GOALS.keys()
    assert all(goal.value is not None for goal in goals.values())


def test_goals_without_all_figures_are_tabulated_too(robot: Robot) -> None:
    comparison = _comparison(robot)
    kept = {"ratio_z": comparison.goals["ratio_z"]}
    text = comparison_table(msgspec.structs.replace(comparison, goals=kept))
    assert "goals met: 1 of 1" in text


def test_published_ratios_follow_from_the_published_table() -> None:
    assert pytest.approx(27.4, abs=0.05) == PAPER.ratio_z
    assert pytest.approx(10.6, abs=0.05) == PAPER.ratio_y
