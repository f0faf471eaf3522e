"""Load schedules are data: when, where, how much."""

from __future__ import annotations

import pytest

from scenarios.library.loads.schedule import single_load
from scenarios.library.run_settings import run_settings
from scenarios.library.runtime_loading import staircase


def test_one_load_on_and_off() -> None:
    settings = run_settings("window_washing", remove_at_s=6.0, ramp_s=0.5)
    on, off = single_load(settings)
    assert (on.time_s, on.mass_kg, on.sides, on.ramp_s) == (3.0, 5.0, ("left",), 0.5)
    assert (off.time_s, off.mass_kg, off.ramp_s) == (6.0, 0.0, 0.5)


def test_both_arms_and_no_load() -> None:
    assert single_load(run_settings("balance"))[0].sides == ("left", "right")
    assert single_load(run_settings("balance", payload_kg=0.0)) == ()
    assert staircase(run_settings("runtime_loading", payload_kg=0.0)) == ()


def test_staircase_is_the_papers() -> None:
    steps = staircase(run_settings("runtime_loading"))
    loads = [step.mass_kg for step in steps]
    assert loads == pytest.approx([3.4, 4.54, 5.67, 6.8, 7.94, 0.0], abs=5e-3)
    assert [step.time_s for step in steps] == [6.0, 12.0, 18.0, 24.0, 30.0, 36.0]
    assert {step.sides for step in steps} == {("right",)}
    assert steps[-1].ramp_s == pytest.approx(5 * steps[0].ramp_s)


def test_staircase_scales_with_load_and_time() -> None:
    settings = run_settings(
        "runtime_loading", payload_kg=3.5, at_s=1.0, remove_at_s=3.5, duration_s=4.0
    )
    steps = staircase(settings)
    assert steps[0].mass_kg == pytest.approx(1.5)
    assert steps[1].time_s == pytest.approx(1.5)
