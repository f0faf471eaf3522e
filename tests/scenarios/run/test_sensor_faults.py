"""Faults of joint sensors, from the flag to what the robot does."""

from __future__ import annotations

import numpy as np
import pytest

from ekf.supervisor.link_monitor import LinkState
from scenarios.errors import ScenarioError
from scenarios.records.record import RunRecord
from scenarios.run import runner
from scenarios.run.sensor_faults import SensorFaults, parse_fault
from scenarios.run.settings import RunSettings
from wbmpc.errors import UnknownNameError

NAMES = ("A", "B")


def _spoil(text: str, time_s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    faults = SensorFaults([parse_fault(text)], NAMES, np.array([10.0, 50.0]), seed=1)
    ones = np.ones(2)
    faults.spoil(1.0, 3.0 * ones, 4.0 * ones, 5.0 * ones)
    return faults.spoil(time_s, 0.1 * ones, 0.2 * ones, 0.3 * ones)


@pytest.mark.parametrize(
    ("kind", "torque"),
    [("nan", np.nan), ("zero", 0.0), ("stuck", 5.0), ("offset", 0.3 + 0.1 * 50.0)],
)
def test_a_kind_of_fault(kind: str, torque: float) -> None:
    q, v, tau_Nm = _spoil(f"torque:B:{kind}:1:2", 2.0)
    assert tau_Nm[1] == pytest.approx(torque, nan_ok=True)
    assert tau_Nm[0] == 0.3
    assert np.all(q == 0.1)
    assert np.all(v == 0.2)


@pytest.mark.parametrize("time_s", [0.99, 3.0])
def test_before_and_after_nothing_is_wrong(time_s: float) -> None:
    _, _, tau_Nm = _spoil("torque:B:nan:1:2", time_s)
    assert np.all(tau_Nm == 0.3)


def test_garbage_is_seeded() -> None:
    first, second = (_spoil("position:A:noise:1:2", 2.0)[0] for _ in range(2))
    assert np.array_equal(first, second)
    assert first[0] != 0.1


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("torque:B:nan:1", "CHANNEL:JOINT:KIND:AT:FOR"),
        ("force:B:nan:1:2", "force"),
        ("torque:B:dead:1:2", "dead"),
        ("torque:B:nan:soon:2", "soon"),
        ("torque:B:nan:-1:2", "-1"),
        ("torque:B:nan:1:0", "FOR 0"),
        ("torque:B:nan:nan:1", "nan"),
    ],
)
def test_what_is_no_fault_is_refused(text: str, named: str) -> None:
    with pytest.raises(ScenarioError, match=named):
        parse_fault(text)


def test_an_unknown_joint_is_named() -> None:
    with pytest.raises(UnknownNameError, match="joint 'C'"):
        SensorFaults([parse_fault("torque:C:nan:1:2")], NAMES, np.ones(2), seed=0)


def _run(*faults: str) -> RunRecord:
    return runner.run(
        RunSettings(
            at_s=0.5, duration_s=2.5, faults=tuple(parse_fault(f) for f in faults)
        )
    )


def test_a_lost_torque_freezes_its_arm_and_nothing_else() -> None:
    record = _run("torque:LEFT_ELBOW_Y:nan:1:0.5", "torque:LEFT_KNEE_Y:nan:1:0.5")
    assert not record.fell
    assert record.faults["ekf_channel_LEFT_ELBOW_Y"] >= 49
    left, right = (record.links[side].payload for side in ("left", "right"))
    assert left is not None
    assert right is not None
    assert LinkState.FROZEN.value in left.state
    assert left.mass_kg[-1] == pytest.approx(5.0, abs=0.15)
    assert np.abs(left.mass_kg[100:] - 5.0).max() < 0.5
    assert np.all(right.mass_kg == 0.0)


@pytest.mark.parametrize("kind", ["nan", "stuck"])
@pytest.mark.parametrize("joint", ["LEFT_ELBOW_Y", "LEFT_SHOULDER_X"])
def test_a_frozen_arm_lets_go_of_a_load_that_is_gone(joint: str, kind: str) -> None:
    fault = parse_fault(f"torque:{joint}:{kind}:1.0:1.5")
    record = runner.run(
        RunSettings(at_s=0.5, remove_at_s=1.8, duration_s=3.0, faults=(fault,))
    )
    assert not record.fell
    left = record.links["left"].payload
    assert left is not None
    # A value that is stuck is believed again while its joint rests.
    until = None if kind == "nan" else 190
    assert np.all(left.mass_kg[185:until] == 0.0)


def test_a_joint_without_position_is_bridged_for_twenty_steps() -> None:
    record = _run("position:LEFT_ELBOW_Y:nan:1:0.015")
    assert not record.fell
    assert record.faults["reading_LEFT_ELBOW_Y"] == pytest.approx(15, abs=1)


def test_and_then_the_run_ends_and_says_why() -> None:
    record = _run("position:LEFT_ELBOW_Y:nan:1:0.1")
    assert record.fell
    assert "LEFT_ELBOW_Y" in record.events[-1][1]
    assert record.events[-1][0] == pytest.approx(1.03, abs=0.011)
