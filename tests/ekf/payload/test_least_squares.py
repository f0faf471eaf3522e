"""The recursion of the payload estimators against its closed solution."""

import numpy as np
import pytest

from ekf.errors import InvalidSettingError
from ekf.payload.least_squares import ForgettingLeastSquares
from ekf.streaming import LearnStatus


def _samples(rng, n, count=40, rows=3):
    regressors = rng.normal(size=(count, rows, n))
    targets = regressors @ rng.normal(size=n) + 0.1 * rng.normal(size=(count, rows))
    return regressors, targets


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("lam", [1.0, 0.9])
def test_it_is_weighted_least_squares_with_a_prior(rng, n, lam):
    regressors, targets = _samples(rng, n)
    initial, variance = np.linspace(1.0, 4.0, n), np.array([0.5, 1.0, 2.0])
    squares = ForgettingLeastSquares(initial, variance, lam, bounded=False)
    for sample in zip(regressors, targets, strict=True):
        assert squares.learn(*sample) is LearnStatus.USED
    age = lam ** np.arange(len(targets) - 1, -1, -1)
    weight = (age[:, None] / variance).ravel()
    stacked, target = regressors.reshape(-1, n), targets.ravel()
    prior = np.diag(lam ** len(targets) / initial)
    information = (stacked.T * weight) @ stacked + prior
    expected = np.linalg.solve(information, stacked.T @ (weight * target))
    np.testing.assert_allclose(squares.state, expected, rtol=1e-9)
    np.testing.assert_allclose(
        squares.covariance, np.linalg.inv(information), rtol=1e-9, atol=1e-15
    )


def test_one_unknown_is_the_same_as_one_of_several(rng):
    """The closed form of a single unknown against the general step."""
    regressors, targets = _samples(rng, 1)
    variance = np.full(3, 0.3)
    single = ForgettingLeastSquares(np.ones(1), variance, 0.95)
    several = ForgettingLeastSquares(np.ones(2), variance, 0.95)
    for regressor, target in zip(regressors, targets, strict=True):
        single.learn(regressor, target)
        several.learn(np.hstack((regressor, np.zeros((3, 1)))), target)
    assert single.state[0] == pytest.approx(several.state[0], rel=1e-12)
    assert single.covariance[0, 0] == pytest.approx(several.covariance[0, 0], rel=1e-12)


@pytest.mark.parametrize("n", [1, 2])
def test_variance_stays_bounded_without_excitation(n):
    squares = ForgettingLeastSquares(np.full(n, 5.0), np.ones(3), 0.5)
    for _ in range(100):
        squares.learn(np.zeros((3, n)), np.zeros(3))
    np.testing.assert_allclose(squares.covariance, 5.0 * np.eye(n), rtol=1e-12)


def test_without_a_prior_the_first_sample_decides():
    squares = ForgettingLeastSquares([np.inf], np.ones(2), 1.0)
    assert squares.learn(np.zeros(2), np.ones(2)) is LearnStatus.UNEXCITED
    squares.learn(np.array([1.0, 2.0]), np.array([3.0, 6.0]))
    assert squares.state[0] == pytest.approx(3.0)
    assert squares.covariance[0, 0] == pytest.approx(0.2)


@pytest.mark.parametrize("n", [1, 2])
def test_a_sample_that_is_not_used_changes_nothing(n):
    squares = ForgettingLeastSquares(np.ones(n), np.ones(3), 0.9, excitation=1e-3)
    squares.learn(np.ones((3, n)), np.ones(3))
    state, covariance = squares.state.copy(), squares.covariance.copy()
    broken = squares.learn(np.full((3, n), np.nan), np.ones(3))
    assert broken is LearnStatus.NUMERICAL
    if n == 1:
        faint = squares.learn(np.full((3, n), 1e-3), np.ones(3))
        assert faint is LearnStatus.UNEXCITED
    assert (squares.state == state).all() and (squares.covariance == covariance).all()
    squares.reset()
    assert (squares.state == 0.0).all() and (squares.covariance == np.eye(n)).all()


@pytest.mark.parametrize("lam", [0.0, 1.1, np.nan])
def test_forgetting_is_checked(lam):
    with pytest.raises(InvalidSettingError, match="lam"):
        ForgettingLeastSquares(np.ones(1), np.ones(1), lam)
