"""Weights that leave nothing of the other costs are told before the run."""

from __future__ import annotations

import pytest

from models import robot_names
from scenarios.cli import main
from scenarios.run.cost_doubts import weight_doubts
from wbmpc.settings import load_settings


@pytest.mark.parametrize("name", robot_names())
def test_shipped_weights_are_fine(name: str) -> None:
    assert not list(weight_doubts(load_settings(name)))


@pytest.mark.parametrize("term", ["torque", "wrench", "acceleration", "wrench_cone"])
def test_a_weight_far_beyond_is_told(
    term: str, capsys: pytest.CaptureFixture[str]
) -> None:
    change = f"mpc.costs.{term}.weight=1e6"
    (doubt,) = weight_doubts(load_settings("alexander", [change]))
    assert f"mpc.costs.{term}.weight" in doubt.where and doubt.value == "1e+06"
    argv = "run standing --no-files --no-twin --payload 0 --duration 0.1 --set"
    main([*argv.split(), change])
    assert doubt.sentence() in capsys.readouterr().err
