"""Steady pushes from the side, and robots that start elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from scenarios.errors import ScenarioError
from scenarios.library.run_settings import run_settings
from scenarios.records.record import RunRecord
from scenarios.run import runner
from scenarios.run.settings import Push, Start


def pushed(left_N: float, payload_kg: float) -> RunRecord:
    push = Push(at_s=1.0, duration_s=2.0, left_N=left_N)
    return runner.run(
        run_settings(
            "standing", payload_kg=payload_kg, at_s=0.4, duration_s=3.4, push=push
        )
    )


@pytest.mark.parametrize("left_N", [60.0, -60.0])
@pytest.mark.parametrize("payload_kg", [0.0, 5.0])
def test_sixty_newtons_from_the_side_for_two_seconds(
    left_N: float, payload_kg: float
) -> None:
    """60 N at 0.8 m move the centre of pressure by 7 cm, of 13 cm that there are."""
    record = pushed(left_N, payload_kg)
    assert not record.fell
    aside = record.com_m[:, 1] - record.com_m[0, 1]
    assert 0.01 < np.abs(aside).max() < 0.06
    assert abs(record.pelvis_m[-1, 1]) < 0.02


def test_a_run_is_the_same_wherever_the_robot_stands() -> None:
    places = (Start(), Start(forward_m=-3.0, left_m=0.05, turn_deg=170.0))
    here, there = (
        runner.run(run_settings("standing", at_s=0.5, duration_s=1.5, start=start))
        for start in places
    )
    assert not there.fell
    np.testing.assert_allclose(there.q[:, 7:], here.q[:, 7:], atol=1e-4)
    np.testing.assert_allclose(there.com_m, here.com_m, atol=1e-4)
    np.testing.assert_allclose(there.wrench_true, here.wrench_true, atol=5.0)


def test_an_absurd_start_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"--start: turn nan"):
        Start(turn_deg=float("nan"))
    with pytest.raises(ScenarioError, match=r"--start: left 1e\+09"):
        Start(left_m=1e9)
