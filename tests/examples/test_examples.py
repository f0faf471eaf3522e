"""Every script of `examples/` does what its first line says, and stays short."""

from __future__ import annotations

from pathlib import Path

import closed_loop
import estimate_own_data
import numpy as np
import own_cost_term
import own_estimator
import own_robot
import pytest

from scenarios.library import catalogue

EXAMPLES = Path(closed_loop.__file__).parent
TESTED = {
    "closed_loop",
    "estimate_own_data",
    "own_cost_term",
    "own_estimator",
    "own_robot",
    "own_scenario",
}


def test_every_script_is_tested_and_short() -> None:
    scripts = {path.stem: path for path in EXAMPLES.glob("*.py")}
    assert scripts.keys() == TESTED
    for path in scripts.values():
        assert len(path.read_text(encoding="utf-8").splitlines()) < 60, path.name


def test_the_closed_loop_finds_the_load() -> None:
    payload_kg = closed_loop.main()
    assert payload_kg["left"] == pytest.approx(closed_loop.PAYLOAD_KG, abs=0.2)
    assert payload_kg["right"] == pytest.approx(0.0, abs=0.2)


def test_the_own_cost_term_moves_the_other_elbow() -> None:
    left, right = own_cost_term.main()
    assert 0.1 < right < left < right + 0.02
    left, right = own_cost_term.main(weight=1e-9)
    assert left == pytest.approx(0.3, abs=0.01)
    assert right == pytest.approx(0.0, abs=0.01)


def test_the_own_estimator_finds_the_load() -> None:
    assert own_estimator.main(payload_kg=2.0) == pytest.approx(2.0, abs=0.05)


def test_the_own_robot_stands() -> None:
    assert own_robot.main() < 1.0


def test_the_own_scenario_is_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "_registered", {})  # as it was, for other tests
    import own_scenario

    catalogue.register(own_scenario.SCENARIO)
    metrics = own_scenario.main()
    assert not metrics.fell and metrics.experiment is not None
    assert 200.0 < metrics.experiment.raised_mm < 350.0
    assert "raised [mm]" in capsys.readouterr().out
    loaded = metrics.links["LEFT_ELBOW_PITCH_LINK"]
    assert loaded.mass_kg == pytest.approx(loaded.mass_true_kg, abs=0.1)


def test_own_data_give_a_payload_with_its_interval() -> None:
    report = estimate_own_data.main()
    low, high = report.interval_kg
    assert low < estimate_own_data.PAYLOAD.mass < high < low + 0.4
    np.testing.assert_allclose(report.com_m, estimate_own_data.PAYLOAD.lever, atol=0.01)
