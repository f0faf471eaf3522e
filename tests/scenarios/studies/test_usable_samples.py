"""Times that jump, numbers that are none, and logs in other units."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from ekf import JointLog
from scenarios.errors import ScenarioError
from scenarios.studies.estimators.streams.recorded import read_stream
from scenarios.studies.estimators.streams.robots import check_stands_still, panda
from scenarios.studies.estimators.streams.samples import SampleCounts, mend_times
from scenarios.studies.estimators.streams.stream import Stream
from scenarios.studies.estimators.streams.synthetic_arm import (
    ArmStreamSettings,
    synthetic_arm,
)
from scenarios.studies.estimators.streams.units import check_units
from wbmpc.robot import Robot

TIMES = 0.01 * np.arange(100)


@pytest.fixture(scope="module")
def stream() -> Stream:
    return synthetic_arm(panda(), ArmStreamSettings(duration_s=2.0))


def scaled(
    log: JointLog, *, time: float = 1.0, q: float = 1.0, v: float = 1.0
) -> JointLog:
    return replace(log, time_s=time * log.time_s, q=q * log.q, v=v * log.v)


@pytest.mark.parametrize("odd", [1e9, -5.0, 0.0, np.nan, np.inf])
@pytest.mark.parametrize("at", [0, 1, 50, 99])
def test_one_odd_time_costs_one_row(odd: float, at: int) -> None:
    times = TIMES.copy()
    times[at] = odd
    rows, mended, refused, resets = mend_times(times)
    lost = 1 - int(TIMES[at] == odd or (at == 0 and odd == -5.0))
    # The last row has no other after it that could contradict it.
    lost -= int(at == 99 and odd == 1e9)
    assert len(rows) == 100 - lost and refused.total() == lost
    assert (np.diff(mended) > 0.0).all() and resets == 0


@pytest.mark.parametrize("back_s", [0.3, 100.0])
def test_a_clock_that_was_set_back_goes_on(back_s: float) -> None:
    times = np.concatenate([TIMES + 200.0, TIMES + 200.0 - back_s + 1.0])
    rows, mended, refused, resets = mend_times(times)
    assert (len(rows), refused.total(), resets) == (200, 0, 1)
    np.testing.assert_allclose(np.diff(mended), 0.01)


def test_a_gap_is_no_mistake() -> None:
    times = np.concatenate([TIMES, TIMES + 60.0])
    rows, mended, refused, _ = mend_times(times)
    assert len(rows) == 200 and not refused
    np.testing.assert_array_equal(mended, times)


def test_counts_say_why() -> None:
    counts = SampleCounts(total=10, used=8, refused={"torque is no number": 2})
    assert not counts.enough
    assert counts.sentence() == "8 of 10 samples used (2 torque is no number)"


def test_a_log_in_its_units_is_fine(stream: Stream) -> None:
    assert check_units(stream.log, stream.robot.model, "log") == ()


@pytest.mark.parametrize(
    ("factors", "told"),
    [
        ({"time": 1e3}, "milliseconds"),
        ({"time": 1e-3}, "velocities are"),
        ({"q": 57.3, "v": 57.3}, "degrees"),
        ({"v": 57.3}, "velocities are 57"),
        ({"v": 1e-3}, "velocities are"),
    ],
)
def test_a_log_in_other_units_is_refused(
    stream: Stream, factors: dict[str, float], told: str
) -> None:
    log = scaled(stream.log, **factors)
    with pytest.raises(ScenarioError, match=rf"mine: .*{told}"):
        check_units(log, stream.robot.model, "mine")


def test_a_few_samples_outside_the_limits_are_told(stream: Stream) -> None:
    q = stream.log.q.copy()
    q[:5, 0] = 9.0
    (told,) = check_units(replace(stream.log, q=q), stream.robot.model, "log")
    assert "panda_joint1" in told and f"{5 / len(q):.1%}" in told


def test_scales_of_the_columns(tmp_path: Path, stream: Stream) -> None:
    log = stream.log
    names = ["t", *(f"{kind}_{i}" for kind in ("q", "qd", "tau") for i in range(9))]
    table = np.column_stack(
        [1e3 * log.time_s, np.degrees(log.q), np.degrees(log.v), 1e3 * log.tau]
    )
    path = tmp_path / "log.csv"
    np.savetxt(path, table, delimiter=",", header=",".join(names), comments="")
    columns = tmp_path / "columns.toml"
    degree = np.pi / 180.0
    columns.write_text(
        f"time_scale = 1e-3\nq_scale = {degree}\nv_scale = {degree}\ntau_scale = 1e-3\n"
    )
    from scenarios.studies.estimators.streams.columns import load_mapping

    read = read_stream(path, robot="panda", columns=load_mapping(columns))
    for name in ("time_s", "q", "v", "tau"):
        np.testing.assert_allclose(
            getattr(read.log, name), getattr(log, name), atol=1e-9
        )


def test_a_robot_on_legs_is_no_arm() -> None:
    legs = Robot.load("alexander").urdf_path
    with pytest.raises(ScenarioError, match=r"4 limbs.*settings\.toml"):
        check_stands_still(pin.buildModelFromUrdf(str(legs)), legs)
    check_stands_still(panda().model, Path("panda.urdf"))
