"""A constant torque that is not inertia: found without load, taken off afterwards."""

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import with_payload

from ekf import InertialEKF
from ekf.errors import DimensionError, InvalidSettingError

LOAD_KG, LOAD_AT_M = 1.0, (0.0, 0.1, -0.2)
BIAS = np.array([0.5, -1.0, 0.8, 0.3, -0.6, 0.4])


def _tick(model, time_s, bias):
    angles = 0.4 * np.sin(time_s + np.arange(model.nq))
    rates = 0.4 * np.cos(time_s + np.arange(model.nq))
    accelerations = -0.4 * np.sin(time_s + np.arange(model.nq))
    tau = pin.rnea(model, model.createData(), angles, rates, accelerations)
    return angles, rates, accelerations, tau + bias[: model.nv]


def _mass(estimator, plant, bias, ticks=150):
    for tick in range(ticks):
        estimate = estimator.update(*_tick(plant, 0.01 * tick, bias), dt_s=0.01)
    return float(estimate.mass_kg[0])


def test_residual_without_load_is_the_bias(arm):
    estimator = InertialEKF(arm, ["J5"])
    bias = BIAS[: arm.nv]
    residual = estimator.nominal_residual(*_tick(arm, 0.3, BIAS))
    np.testing.assert_allclose(residual, bias, atol=1e-9)


def test_tared_filter_finds_the_load_that_an_untared_one_misses(arm):
    plant = with_payload(arm, "J5", LOAD_KG, LOAD_AT_M)
    true = plant.inertias[6].mass
    exact, plain, tared = (
        InertialEKF(arm, ["J5"], measurement_variance=np.full(arm.nv, 1e-2))
        for _ in range(3)
    )
    tared.set_torque_bias(tared.nominal_residual(*_tick(arm, 0.0, BIAS)))
    clean = abs(_mass(exact, plant, 0.0 * BIAS) - true)
    assert abs(_mass(tared, plant, BIAS) - true) == pytest.approx(clean, abs=1e-9)
    assert abs(_mass(plain, plant, BIAS) - true) > clean + 0.05


def test_zero_bias_changes_no_bit_and_reset_keeps_the_bias(arm):
    plant = with_payload(arm, "J5", LOAD_KG, LOAD_AT_M)
    plain, zero = InertialEKF(arm, ["J5"]), InertialEKF(arm, ["J5"])
    zero.set_torque_bias(np.zeros(arm.nv))
    for tick in range(20):
        sample = _tick(plant, 0.01 * tick, 0.0 * BIAS)
        first, second = (e.update(*sample, dt_s=0.01) for e in (plain, zero))
        assert np.array_equal(first.theta, second.theta)
    zero.set_torque_bias(BIAS[: arm.nv])
    zero.reset()
    assert np.array_equal(zero.torque_bias, BIAS[: arm.nv])


def test_bias_is_copied_and_read_only(arm):
    estimator, bias = InertialEKF(arm, ["J5"]), np.ones(arm.nv)
    estimator.set_torque_bias(bias)
    bias[0] = 9.0
    assert estimator.torque_bias[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        estimator.torque_bias[0] = 2.0


def test_wrong_bias_is_refused(arm):
    estimator = InertialEKF(arm, ["J5"])
    with pytest.raises(DimensionError, match="bias"):
        estimator.set_torque_bias(np.zeros(arm.nv + 1))
    with pytest.raises(InvalidSettingError, match="bias"):
        estimator.set_torque_bias(np.full(arm.nv, np.nan))


def test_unusable_sample_has_no_residual(arm):
    q, v, a, tau = _tick(arm, 0.0, BIAS)
    estimator = InertialEKF(arm, ["J5"])
    assert estimator.nominal_residual(q * np.nan, v, a, tau) is None
    assert estimator.nominal_residual(q, v, a, tau[:-1]) is None
    assert dict(estimator.rejections) == {}
