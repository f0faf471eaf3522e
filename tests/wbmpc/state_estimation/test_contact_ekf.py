"""The Kalman filter's linearisation, covariance and consistency."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
from squat_motion import Motion

from wbmpc.conventions import rotation_from_xyzw
from wbmpc.robot import Robot
from wbmpc.state_estimation import ContactEkf
from wbmpc.state_estimation.rotations import log_rotation

SIZE = 27


@pytest.fixture
def filter_at_work(robot: Robot, twin_motion: Motion) -> ContactEkf:
    """After some samples, away from every special value."""
    ekf = ContactEkf(robot)
    ekf.reset(twin_motion.truth[0].q, twin_motion.readings[0])
    for readings in twin_motion.readings[1:300]:
        ekf.update(readings)
    return ekf


def _state_error(a: ContactEkf, b: ContactEkf) -> np.ndarray:
    """Error state (27,) of b about a."""
    parts = [
        b._position - a._position,
        b._velocity - a._velocity,
        log_rotation(a._rotation.T @ b._rotation),
        b._accelerometer_bias - a._accelerometer_bias,
        b._gyro_bias - a._gyro_bias,
    ]
    for (p, r), (p_other, r_other) in zip(a._feet, b._feet, strict=True):
        parts += [p_other - p, log_rotation(r.T @ r_other)]
    return np.concatenate(parts)


def _moved(ekf: ContactEkf, index: int, step: float) -> ContactEkf:
    other = deepcopy(ekf)
    change = np.zeros(SIZE)
    change[index] = step
    other._apply(change)
    return other


@pytest.mark.parametrize("foot", [0, 1])
def test_measurement_jacobian_is_the_derivative(
    filter_at_work: ContactEkf, twin_motion: Motion, foot: int
) -> None:
    """The innovation falls by H times the change of the state."""
    soles = filter_at_work._kinematics.soles(twin_motion.readings[300].q)
    innovation, jacobian = filter_at_work._foot_rows(foot, soles[foot])
    step = 1e-6
    for index in range(SIZE):
        moved = _moved(filter_at_work, index, step)
        change = (moved._foot_rows(foot, soles[foot])[0] - innovation) / step
        # To first order in the innovation, which is small.
        np.testing.assert_allclose(change, -jacobian[:, index], atol=5e-3)


def test_prediction_jacobian_is_the_derivative(
    filter_at_work: ContactEkf, twin_motion: Motion
) -> None:
    """Propagated covariance of a rank-one error is the propagated error's."""
    readings, dt_s, step = twin_motion.readings[300], 1e-3, 1e-5
    end = deepcopy(filter_at_work)
    end._process = np.zeros(SIZE)
    columns = []
    for index in range(SIZE):
        moved = _moved(filter_at_work, index, step)
        centre = deepcopy(end)
        moved._predict(readings, dt_s)
        centre._predict(readings, dt_s)
        columns.append(_state_error(centre, moved) / step)
    numeric = np.array(columns).T
    end._covariance = np.eye(SIZE)
    end._predict(readings, dt_s)
    np.testing.assert_allclose(end.covariance, numeric @ numeric.T, atol=1e-4)


def test_covariance_stays_symmetric_and_positive(
    robot: Robot, twin_motion: Motion
) -> None:
    ekf = ContactEkf(robot)
    ekf.reset(twin_motion.truth[0].q, twin_motion.readings[0])
    for readings in twin_motion.readings[1:]:
        ekf.update(readings)
        covariance = ekf.covariance
        scale = np.abs(covariance).max()
        assert np.abs(covariance - covariance.T).max() <= 1e-12 * scale
    assert np.linalg.eigvalsh(covariance)[0] > 0.0


def test_gyro_bias_is_learned(robot: Robot, twin_motion: Motion) -> None:
    """To a third of what it was, in two seconds of squatting."""
    ekf = ContactEkf(robot)
    ekf.reset(twin_motion.truth[0].q, twin_motion.readings[0])
    for readings in twin_motion.readings[1:]:
        ekf.update(readings)
    true = twin_motion.twin._sensors._imu.gyro_bias_rad_per_s
    left = np.linalg.norm(ekf.gyro_bias_rad_per_s - true)
    assert left < 0.34 * np.linalg.norm(true)


def test_errors_are_within_what_the_filter_claims(
    robot: Robot, twin_motion: Motion
) -> None:
    """Rotation and velocity stay inside four standard deviations."""
    ekf = ContactEkf(robot)
    ekf.reset(twin_motion.truth[0].q, twin_motion.readings[0])
    ratios = []
    pairs = zip(twin_motion.truth[1:], twin_motion.readings[1:], strict=True)
    for truth, readings in pairs:
        ekf.update(readings)
        rotation = rotation_from_xyzw(truth.q[3:7])
        error = np.concatenate(
            [
                ekf._velocity - rotation @ truth.v[:3],
                log_rotation(rotation.T @ ekf._rotation),
            ]
        )
        ratios.append(np.abs(error) / np.sqrt(np.diag(ekf.covariance)[3:9]))
    assert np.percentile(ratios, 99) < 4.0
