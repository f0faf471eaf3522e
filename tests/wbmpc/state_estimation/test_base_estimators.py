"""Both base estimators against truth, on the same motions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from squat_motion import Motion, holding_tau_Nm

from wbmpc.conventions import rotation_from_xyzw
from wbmpc.plant.interface import Measurement, SensorReadings
from wbmpc.robot import Robot
from wbmpc.state_estimation import (
    BaseEstimate,
    BaseEstimator,
    ContactEkf,
    FixedFeetFilter,
    measurement_from,
)
from wbmpc.state_estimation.rotations import log_rotation

Build = Callable[[Robot], BaseEstimator]

ESTIMATORS: list[Build] = [ContactEkf, FixedFeetFilter]
both = pytest.mark.parametrize("build", ESTIMATORS)


def _errors(truth: Measurement, base: BaseEstimate) -> np.ndarray:
    """Position [m], rotation [rad], linear [m/s] and angular [rad/s] error (12,)."""
    rotation = rotation_from_xyzw(truth.q[3:7])
    turn = log_rotation(rotation.T @ rotation_from_xyzw(base.quaternion_xyzw))
    return np.concatenate(
        [base.position_m - truth.q[:3], turn, base.twist - truth.v[:6]]
    )


def _run(
    robot: Robot, build: Build, motion: Motion
) -> tuple[BaseEstimator, np.ndarray]:
    estimator = build(robot)
    estimator.reset(motion.truth[0].q, motion.readings[0])
    pairs = zip(motion.truth[1:], motion.readings[1:], strict=True)
    rows = [_errors(truth, estimator.update(readings)) for truth, readings in pairs]
    return estimator, np.array(rows)


def _rms(rows: np.ndarray) -> np.ndarray:
    """RMS of the four vectors (4,)."""
    return np.sqrt((rows.reshape(-1, 4, 3) ** 2).sum(axis=2).mean(axis=0))


@both
def test_perfect_sensors_give_the_true_base(
    robot: Robot, build: Build, clean_motion: Motion
) -> None:
    """Hard soles, no noise: what is left is below a millimetre."""
    moved = np.ptp([m.q[2] for m in clean_motion.truth])
    assert moved > 0.01
    estimator, rows = _run(robot, build, clean_motion)
    assert np.all(_rms(rows) < [2e-4, 2e-4, 1e-3, 2e-4])
    assert estimator.rejections == {}


@both
def test_robot_sensors_give_millimetres(
    robot: Robot, build: Build, twin_motion: Motion
) -> None:
    _, rows = _run(robot, build, twin_motion)
    position, rotation, linear, angular = _rms(rows)
    assert position < 3e-3
    assert rotation < 5e-3
    assert linear < 1e-2
    assert angular < 2e-2


@both
def test_standing_still_removes_the_gyro_bias(
    robot: Robot, build: Build, twin_motion: Motion
) -> None:
    """Heading does not run away, though a constant rate is measured."""
    still = twin_motion.readings[0]
    estimator = build(robot)
    start = estimator.reset(twin_motion.truth[0].q, still)
    biased = replace(
        still, gyro_rad_per_s=np.array([0, 0, 0.05]), tau_Nm=holding_tau_Nm(robot)
    )
    for step in range(1, 2501):
        base = estimator.update(biased.at(1e-3 * step))
    turned = log_rotation(
        rotation_from_xyzw(start.quaternion_xyzw).T
        @ rotation_from_xyzw(base.quaternion_xyzw)
    )
    assert abs(turned[2]) < 0.02, "without the feet it would be 0.125 rad"
    assert abs(base.twist[5]) < 0.03


@both
@pytest.mark.parametrize(
    "channel", ["q", "v", "gyro_rad_per_s", "accelerometer_m_per_s2"]
)
def test_bad_sample_is_counted_and_leaves_the_state(
    robot: Robot, build: Build, clean_motion: Motion, channel: str
) -> None:
    estimator = build(robot)
    estimator.reset(clean_motion.truth[0].q, clean_motion.readings[0])
    before = [estimator.update(r) for r in clean_motion.readings[1:50]][-1]
    good = clean_motion.readings[50]
    broken = getattr(good, channel).copy()
    broken[1] = np.nan
    after = estimator.update(replace(good, **{channel: broken}))
    np.testing.assert_array_equal(after.position_m, before.position_m)
    np.testing.assert_array_equal(after.twist, before.twist)
    assert estimator.rejections == {"non_finite": 1}
    assert np.isfinite(estimator.update(good).position_m).all()


@both
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_missing_torque_stops_nothing_but_that_leg(
    robot: Robot, build: Build, clean_motion: Motion, bad: float
) -> None:
    """The neck's torque is used by nobody, a leg's only tells whether it stands."""
    estimator, reference = build(robot), build(robot)
    for one in (estimator, reference):
        one.reset(clean_motion.truth[0].q, clean_motion.readings[0])
    left = robot.joints_full("left_leg")
    neck = robot.joints_full("neck")
    for count, readings in enumerate(clean_motion.readings[1:100], start=1):
        tau_Nm = readings.tau_Nm.copy()
        tau_Nm[neck] = bad
        if count > 50:
            tau_Nm[left[3]] = bad
        estimate = estimator.update(replace(readings, tau_Nm=tau_Nm))
        expected = reference.update(readings)
        np.testing.assert_array_equal(estimate.position_m, expected.position_m)
        np.testing.assert_array_equal(estimate.twist, expected.twist)
    assert estimate.contacts.all()
    assert estimator.rejections == {"leg_torque": 49}
    assert reference.rejections == {}


@both
def test_a_leg_without_torque_does_not_blind_the_other(
    robot: Robot, build: Build, clean_motion: Motion
) -> None:
    estimator = build(robot)
    estimator.reset(clean_motion.truth[0].q, clean_motion.readings[0])
    right, left = robot.joints_full("right_leg"), robot.joints_full("left_leg")
    tau_Nm = holding_tau_Nm(robot)
    tau_Nm[left[0]], tau_Nm[right] = np.nan, 0.0
    lifted = replace(clean_motion.readings[0], tau_Nm=tau_Nm)
    for step in range(1, 21):
        base = estimator.update(lifted.at(1e-3 * step))
    assert base.contacts.tolist() == [True, False]


@both
def test_time_must_advance(robot: Robot, build: Build, clean_motion: Motion) -> None:
    estimator = build(robot)
    estimator.reset(clean_motion.truth[0].q, clean_motion.readings[0])
    for readings in (clean_motion.readings[1], clean_motion.readings[1]):
        estimator.update(readings)
    estimator.update(replace(clean_motion.readings[2], q=np.zeros(3)))
    assert estimator.rejections == {"time_step": 1, "dimension": 1}


@both
def test_lifted_foot_drops_out_and_returns(
    robot: Robot, build: Build, clean_motion: Motion
) -> None:
    """Moving a leg in the air does not move the base, nor does putting it down."""
    estimator = build(robot)
    estimator.reset(clean_motion.truth[0].q, clean_motion.readings[0])
    left = robot.joints_full("left_leg")
    standing = replace(clean_motion.readings[0], tau_Nm=holding_tau_Nm(robot))
    raised = replace(standing, q=standing.q.copy(), tau_Nm=standing.tau_Nm.copy())
    raised.tau_Nm[left] = 0.0
    step = 0

    def hold(readings: SensorReadings, samples: int) -> BaseEstimate:
        nonlocal step
        for _ in range(samples):
            step += 1
            base = estimator.update(readings.at(1e-3 * step))
        return base

    hold(standing, 20)
    assert hold(raised, 20).contacts.tolist() == [False, True]
    raised.q[left[2]] -= 0.4
    there = hold(raised, 50)
    down = replace(raised, tau_Nm=standing.tau_Nm)
    back = hold(down, 50)
    assert back.contacts.tolist() == [True, True]
    start = clean_motion.truth[0].q[:3]
    np.testing.assert_allclose(there.position_m, start, atol=1e-3)
    np.testing.assert_allclose(back.position_m, start, atol=2e-3)


@both
def test_reset_repeats_bit_for_bit(
    robot: Robot, build: Build, twin_motion: Motion
) -> None:
    estimator = build(robot)
    ends = []
    for _ in range(2):
        estimator.reset(twin_motion.truth[0].q, twin_motion.readings[0])
        ends.append([estimator.update(r) for r in twin_motion.readings[1:100]][-1])
    np.testing.assert_array_equal(ends[0].position_m, ends[1].position_m)
    np.testing.assert_array_equal(ends[0].twist, ends[1].twist)


def test_measurement_joins_sensors_and_base(robot: Robot, twin_motion: Motion) -> None:
    estimator = FixedFeetFilter(robot)
    readings = twin_motion.readings[0]
    base = estimator.reset(twin_motion.truth[0].q, readings)
    measured = measurement_from(readings, base)
    np.testing.assert_array_equal(measured.q[7:], readings.q)
    np.testing.assert_array_equal(measured.v[6:], readings.v)
    np.testing.assert_allclose(measured.q[:7], robot.home_q_full[:7], atol=1e-12)
    assert measured.tau_Nm is readings.tau_Nm
