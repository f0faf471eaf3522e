"""Servo calibration and the payload estimator in motion, on known servos."""

from __future__ import annotations

import numpy as np
import pytest
from servo_streams import (
    COULOMB,
    DT_S,
    STIFFNESS,
    TEMPLATE_KG,
    VISCOUS,
    servo_samples,
    swinging_arm,
)

from ekf.errors import DimensionError, InvalidSettingError
from ekf.payload.moving_payload import MovingPayload
from ekf.payload.servo_torque import CommandedTorque, ServoTorque, fit_servo_torque
from ekf.signals.samples import JointSample
from ekf.streaming import LearnStatus, PayloadEstimator


@pytest.fixture(scope="module")
def servo() -> ServoTorque:
    return fit_servo_torque(swinging_arm(), servo_samples(0.0, seconds=6.0))


def estimator(
    source: ServoTorque | CommandedTorque, **settings: object
) -> MovingPayload:
    empty, template = swinging_arm(), swinging_arm(TEMPLATE_KG)
    return MovingPayload(empty, template, TEMPLATE_KG, source, **settings)  # type: ignore[arg-type]


def learn(moving: MovingPayload, payload_kg: float) -> MovingPayload:
    for row in servo_samples(payload_kg):
        moving.push(*row)
    return moving


def test_servos_are_found_through_counts(servo: ServoTorque) -> None:
    assert servo.stiffness == pytest.approx(STIFFNESS, rel=0.03)
    assert servo.coulomb == pytest.approx(COULOMB, abs=0.03)
    assert servo.viscous == pytest.approx(VISCOUS, abs=0.08)


def test_a_still_joint_is_left_out() -> None:
    """It keeps an infinite standard deviation, and weighs nothing."""
    rows = [(t, q * [1, 0], v * [1, 0], g) for t, q, v, g in servo_samples(0.0)]
    servo = fit_servo_torque(swinging_arm(), rows)
    assert np.isfinite(servo.sigma[0]) and np.isinf(servo.sigma[1])
    assert estimator(servo, sigma=servo.sigma).sigma_mass_kg == np.inf


def test_a_motionless_log_is_refused() -> None:
    rows = [(k * DT_S, np.zeros(2), np.zeros(2), np.zeros(2)) for k in range(200)]
    with pytest.raises(InvalidSettingError, match="usable"):
        fit_servo_torque(swinging_arm(), rows)


@pytest.mark.parametrize("payload_kg", [0.0, 0.05, 0.3])
def test_payload_is_found_through_counts(servo: ServoTorque, payload_kg: float) -> None:
    moving = learn(estimator(servo, sigma=servo.sigma), payload_kg)
    assert moving.raw_mass_kg == pytest.approx(payload_kg, abs=0.006)
    assert moving.total_mass_kg == pytest.approx(moving.raw_mass_kg, abs=0.003)


def test_believed_stiffness_is_not_enough() -> None:
    """Without friction and damping the same filter is far off."""
    moving = learn(estimator(ServoTorque.believed(STIFFNESS)), 0.1)
    assert abs(moving.raw_mass_kg - 0.1) > 0.015


def test_commanded_torque_is_exact_on_torque_motors() -> None:
    moving = estimator(CommandedTorque())
    for time_s, q, v, goal in servo_samples(0.12, counts=False):
        friction = COULOMB * np.sign(v) + VISCOUS * v
        moving.push(time_s, q, v, STIFFNESS * (goal - q) - friction)
    assert moving.raw_mass_kg == pytest.approx(0.12, abs=0.03)


def test_projection_keeps_the_raw_estimate(servo: ServoTorque) -> None:
    moving = learn(estimator(servo, sigma=servo.sigma, largest_kg=0.1), 0.3)
    assert moving.mass_kg == 0.1 and moving.raw_mass_kg > 0.29


def test_bad_samples_are_counted_and_change_nothing(servo: ServoTorque) -> None:
    moving = learn(estimator(servo, sigma=servo.sigma), 0.1)
    before, end = moving.raw_mass_kg, 4.0
    nan, fine = np.full(2, np.nan), np.zeros(2)
    assert moving.push(end, nan, fine, fine) is LearnStatus.MISSING
    assert moving.push(end, fine, fine, "goal") is LearnStatus.MISSING
    assert moving.push(0.0, fine, fine, fine) is LearnStatus.TIME_STEP
    assert moving.push(end + 9.0, fine, fine, fine) is LearnStatus.GAP
    assert moving.raw_mass_kg == before
    assert moving.counts[LearnStatus.MISSING] == 2


def test_nothing_is_learnt_at_rest(servo: ServoTorque) -> None:
    moving = estimator(servo, sigma=servo.sigma)
    still = np.zeros(2)
    statuses = [moving.push(k * DT_S, still, still, still + 0.1) for k in range(80)]
    assert statuses[0] is statuses[40] is LearnStatus.FIRST  # the filter settles
    assert set(statuses[60:]) == {LearnStatus.UNEXCITED}
    assert moving.raw_mass_kg == 0.0


def test_a_count_at_the_start_is_forgotten(servo: ServoTorque) -> None:
    """One count in the first interval is 61 rad/s^2, and the filter starts with it."""
    moving = estimator(servo, sigma=servo.sigma)
    for time_s, q, v, goal in servo_samples(0.1):
        twitch = 2.0 * np.pi / 4096.0 / DT_S if time_s == 0.0 else 0.0
        moving.push(time_s, q, v - twitch, goal)
    assert moving.raw_mass_kg == pytest.approx(0.1, abs=0.006)


def test_named_samples_teach_the_same(servo: ServoTorque) -> None:
    pushed, named = (estimator(servo, sigma=servo.sigma) for _ in range(2))
    assert isinstance(named, PayloadEstimator)
    for time_s, q, v, goal in servo_samples(0.1, seconds=2.0):
        pushed.push(time_s, q, v, goal)
        named.learn_one(JointSample(time_s=time_s, q=q, v=v, tau=goal))
    assert named.learn_one({"t": 9.0}) is LearnStatus.MISSING
    assert named.raw_mass_kg == pushed.raw_mass_kg > 0.05


def test_reset_starts_again(servo: ServoTorque) -> None:
    moving = learn(estimator(servo, sigma=servo.sigma), 0.1)
    first = moving.raw_mass_kg
    moving.reset()
    assert moving.raw_mass_kg == 0.0 and not moving.counts
    assert learn(moving, 0.1).raw_mass_kg == first


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"sigma": 0.0}, InvalidSettingError),
        ({"sigma": np.ones(3)}, DimensionError),
        ({"lam": 1.5}, InvalidSettingError),
        ({"slowest_rad_per_s": -1.0}, InvalidSettingError),
        ({"largest_kg": np.nan}, InvalidSettingError),
        ({"cutoff_hz": 0.0}, InvalidSettingError),
    ],
)
def test_settings_are_checked(settings: dict, error: type[Exception]) -> None:
    with pytest.raises(error):
        estimator(CommandedTorque(), **settings)
