"""Measurement update against the textbook forms."""

import numpy as np

from ekf.payload.least_squares import kalman_correction


def _problem(rng, rows=7, size=4):
    root = rng.normal(size=(size, size))
    covariance = root @ root.T + 0.1 * np.eye(size)
    return covariance, rng.normal(size=(rows, size)), rng.uniform(0.5, 2.0, rows)


def test_agrees_with_the_information_form(rng):
    covariance, jacobian, variance = _problem(rng)
    innovation = rng.normal(size=7)
    change, updated = kalman_correction(covariance, jacobian, variance, innovation)
    information = np.linalg.inv(covariance) + (jacobian.T / variance) @ jacobian
    expected = np.linalg.solve(information, (jacobian.T / variance) @ innovation)
    assert np.allclose(updated, np.linalg.inv(information), atol=1e-12)
    assert np.allclose(change, expected, atol=1e-12)
    assert np.array_equal(updated, updated.T)


def test_failure_is_a_value(rng):
    covariance, jacobian, variance = _problem(rng)
    innovation = np.ones(7)
    assert kalman_correction(-100 * covariance, jacobian, variance, innovation) is None
    innovation[0] = np.inf
    with np.errstate(invalid="ignore"):
        assert kalman_correction(covariance, jacobian, variance, innovation) is None
