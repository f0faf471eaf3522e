"""Each scenario has its own defaults; what is asked for goes first."""

from __future__ import annotations

import pytest

from models.errors import UnknownNameError
from scenarios.errors import ScenarioError
from scenarios.library.run_settings import run_settings
from scenarios.run.settings import Push, RunSettings
from scenarios.studies.comparison import published_comparison


@pytest.mark.parametrize("name", ["window_washing", "standing"])
def test_first_scenarios_keep_their_defaults(name: str) -> None:
    assert run_settings(name) == RunSettings(scenario=name)


def test_what_is_asked_for_goes_first() -> None:
    assert run_settings("balance").arm == "both"
    assert run_settings("balance").ramp_s == 2.0
    asked = run_settings("balance", arm="left", ramp_s=0.0, payload_kg=None)
    assert (asked.arm, asked.ramp_s, asked.payload_kg) == ("left", 0.0, 5.0)


def test_a_short_run_says_what_it_leaves_out() -> None:
    with pytest.raises(ScenarioError, match="--duration 2: ends before the load"):
        run_settings("window_washing", duration_s=2.0)
    with pytest.raises(ScenarioError, match="--at 3:"):
        run_settings("window_washing", duration_s=2.0, at_s=3.0)
    with pytest.raises(ScenarioError, match="--duration -1: must be"):
        run_settings("window_washing", duration_s=-1.0)
    unloaded = run_settings("window_washing", duration_s=2.0, payload_kg=0.0)
    assert unloaded.at_s == 2.0
    kept_on = run_settings("runtime_loading", duration_s=10.0)
    assert (kept_on.at_s, kept_on.remove_at_s) == (6.0, None)


def test_plates_are_the_papers() -> None:
    assert run_settings("runtime_loading").payload_kg == pytest.approx(7.94, abs=5e-3)
    assert run_settings("squat_pickup").payload_kg == pytest.approx(4.54, abs=5e-3)


def test_the_papers_figures_are_about_the_papers_robot_and_load() -> None:
    assert published_comparison(run_settings("window_washing")) is not None
    for other in (
        run_settings("window_washing", payload_kg=4.0),
        run_settings("window_washing", robot="g1", payload_kg=5.0),
        run_settings("balance"),
    ):
        assert published_comparison(other) is None


def test_unknown_scenario_and_values_out_of_range_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="balance"):
        run_settings("balanse")
    with pytest.raises(ScenarioError, match="--tare"):
        run_settings("balance", tare_s=9.0)
    with pytest.raises(ScenarioError, match="--push-at"):
        run_settings("balance", push=Push(at_s=13.0, forward_N=10.0))
    with pytest.raises(ScenarioError, match="--push "):
        Push(at_s=1.0, left_N=1e5)
