"""The update in information form against the textbook one."""

import numpy as np
import pytest

from ekf.filter.information_update import information_correction
from ekf.payload.least_squares import kalman_correction


def _problem(rng, rows=27, size=20):
    root = rng.normal(size=(size, size))
    jacobian = rng.normal(size=(rows, size))
    variance = rng.uniform(0.1, 10.0, rows)
    innovation = rng.normal(size=rows)
    weighted = jacobian.T / variance
    return root @ root.T, jacobian, variance, innovation, weighted


@pytest.mark.parametrize("rows", [3, 27, 60])
def test_equals_the_usual_form(rng, rows):
    predicted, jacobian, variance, innovation, weighted = _problem(rng, rows)
    change, updated = kalman_correction(predicted, jacobian, variance, innovation)
    ours = information_correction(predicted, weighted @ jacobian, weighted @ innovation)
    assert np.allclose(ours.change, change, atol=1e-9)
    assert np.allclose(ours.covariance, updated, atol=1e-8)
    assert np.array_equal(ours.covariance, ours.covariance.T)
    squares = float(innovation @ (innovation / variance))
    spread = jacobian @ predicted @ jacobian.T + np.diag(variance)
    normalised = innovation @ np.linalg.solve(spread, innovation)
    assert squares - ours.explained == pytest.approx(normalised)


def test_frozen_channels_keep_value_and_variance(rng):
    predicted, jacobian, _, innovation, weighted = _problem(rng)
    learning = np.ones(20)
    learning[5:9] = 0.0
    ours = information_correction(
        predicted, weighted @ jacobian, weighted @ innovation, learning
    )
    assert np.array_equal(ours.change[5:9], np.zeros(4))
    assert np.allclose(ours.covariance[5:9, 5:9], predicted[5:9, 5:9], rtol=1e-13)
    assert np.linalg.eigvalsh(ours.covariance)[0] > 0.0


def test_ignorance_of_a_frozen_channel_is_passed_on(rng):
    """Pretending to know it would make the others overconfident."""
    _, jacobian, _, innovation, weighted = _problem(rng, rows=40)
    predicted, learning = np.eye(20), np.ones(20)
    learning[5:9] = 0.0
    arguments = (weighted @ jacobian, weighted @ innovation)
    honest = information_correction(predicted, *arguments, learning)
    sure = information_correction(np.diag(learning), *arguments)
    ratio = honest.covariance.diagonal() / np.maximum(sure.covariance.diagonal(), 1e-12)
    assert np.all(ratio[learning > 0.0] > 1.0)


def test_singular_covariance_is_fine_and_nonsense_is_refused(rng):
    _, jacobian, _, innovation, weighted = _problem(rng)
    predicted = np.zeros((20, 20))
    predicted[0, 0] = 1.0
    ours = information_correction(predicted, weighted @ jacobian, weighted @ innovation)
    assert np.array_equal(ours.change[1:], np.zeros(19))
    bad = weighted @ innovation
    bad[3] = np.nan
    assert information_correction(np.eye(20), weighted @ jacobian, bad) is None
