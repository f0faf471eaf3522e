"""Recursive least squares: hand case, laws, and what must not change the state."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ekf.errors import InvalidSettingError
from ekf.learning.recursive_least_squares import RecursiveLeastSquares
from ekf.payload.covariance_limit import limit_covariance
from ekf.streaming import LearnStatus

NUMBERS = st.floats(-10.0, 10.0, allow_nan=False)
BAD = st.sampled_from([float("nan"), float("inf"), -float("inf"), None, "x"])


def test_hand_case():
    rls = RecursiveLeastSquares(lam=1.0, delta=1e6)
    assert rls.learn_one({"a": 1.0, "b": 2.0}, 5.0) is LearnStatus.USED
    assert round(rls.predict_one({"a": 1.0, "b": 2.0}), 4) == 5.0
    assert round(rls.predict_one({"a": 1.0, "b": 0.0}), 4) == 1.0


@pytest.mark.parametrize("n", [1, 3, 7])
def test_without_forgetting_it_is_batch_least_squares(n):
    rng = np.random.default_rng(n)
    x, w = rng.normal(size=(300, n)), rng.normal(size=n)
    y = x @ w + 0.1 * rng.normal(size=300)
    rls = RecursiveLeastSquares(lam=1.0, delta=1e9)
    for row, target in zip(x, y, strict=True):
        rls.learn_one(row, target)
    batch = np.linalg.lstsq(x, y, rcond=None)[0]
    np.testing.assert_allclose(rls.state, batch, atol=1e-6)
    np.testing.assert_allclose(rls.covariance, np.linalg.inv(x.T @ x), rtol=1e-5)


def test_with_forgetting_it_is_weighted_least_squares():
    rng = np.random.default_rng(0)
    lam, delta = 0.9, 1e3
    x, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    rls = RecursiveLeastSquares(lam=lam, delta=delta)
    for row, target in zip(x, y, strict=True):
        rls.learn_one(row, target)
    weight = lam ** np.arange(59, -1, -1)
    information = x.T @ (weight[:, None] * x) + lam**60 / delta * np.eye(3)
    np.testing.assert_allclose(
        rls.state, np.linalg.solve(information, x.T @ (weight * y)), atol=1e-9
    )
    np.testing.assert_allclose(
        rls.covariance, np.linalg.inv(information), rtol=1e-6, atol=1e-9
    )


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=20),
    st.permutations(["a", "b", "c"]),
)
def test_order_of_named_features_does_not_matter(rows, order):
    straight, permuted = RecursiveLeastSquares(0.95), RecursiveLeastSquares(0.95)
    for *features, y in rows:
        named = dict(zip("abc", features, strict=True))
        straight.learn_one(named, y)
        permuted.learn_one({key: named[key] for key in order}, y)
    assert (straight.state == permuted.state).all()
    assert (straight.covariance == permuted.covariance).all()


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=20),
    st.permutations(["a", "b", "c"]),
)
def test_permuted_keys_predict_the_same(rows, order):
    sorted_keys = RecursiveLeastSquares(0.95, 1e3)
    own_order = RecursiveLeastSquares(0.95, 1e3, feature_keys=order)
    for *features, y in rows:
        named = dict(zip("abc", features, strict=True))
        sorted_keys.learn_one(named, y)
        own_order.learn_one(named, y)
    probe = {"a": 1.0, "b": -2.0, "c": 0.5}
    scale = 1.0 + np.abs(sorted_keys.state).max()
    assert sorted_keys.predict_one(probe) == pytest.approx(
        own_order.predict_one(probe), abs=1e-6 * scale
    )


@given(BAD, st.sampled_from(["a", "b", "target"]), st.booleans())
def test_bad_or_missing_channels_change_nothing(bad, where, drop):
    rls = RecursiveLeastSquares(0.9)
    rls.learn_one({"a": 1.0, "b": 2.0}, 3.0)
    before = rls.state, rls.covariance
    features, target = {"a": 1.0, "b": 0.0}, 4.0
    if where == "target":
        target = bad
    elif drop:
        del features[where]
    else:
        features[where] = bad
    assert rls.learn_one(features, target) is LearnStatus.MISSING
    assert rls.n_missing == 1
    assert (rls.state == before[0]).all() and (rls.covariance == before[1]).all()


def test_a_bad_first_sample_does_not_fix_the_keys():
    rls = RecursiveLeastSquares()
    rls.learn_one({"z": float("nan")}, 1.0)
    assert rls.feature_keys is None
    assert rls.learn_one({"a": 1.0}, 2.0) is LearnStatus.USED
    rls.reset()
    assert rls.feature_keys is None and len(rls.state) == 0
    assert rls.predict_one({"a": 1.0}) == 0.0


def _stays_sound(samples, lam):
    rng = np.random.default_rng(1)
    rls = RecursiveLeastSquares(lam=lam, delta=1e6)
    x = np.zeros((1000, 4))
    for _ in range(samples // 1000):
        x[:, 0], x[:, 1] = rng.normal(size=(2, 1000))
        x[:, 2] = x[:, 1] + 1e-4 * rng.normal(size=1000)  # nearly collinear
        for row in x:  # the last feature is never excited
            rls.learn_one(row, row[0] - row[1])
        covariance = rls.covariance
        assert (covariance == covariance.T).all()
        assert np.linalg.eigvalsh(covariance)[0] > 0.0
    np.testing.assert_allclose(rls.predict_one([1.0, 0.0, 0.0, 0.0]), 1.0, atol=1e-5)


@pytest.mark.parametrize("lam", [1.0, 0.99, 0.9])
def test_covariance_stays_symmetric_and_positive(lam):
    _stays_sound(5_000, lam)


@pytest.mark.slow
@pytest.mark.parametrize("lam", [1.0, 0.99])
def test_a_million_samples_keep_the_covariance_sound(lam):
    _stays_sound(1_000_000, lam)


def test_limit_leaves_excited_directions_alone():
    p = np.array([[4.0, 1.0], [1.0, 9.0]])
    assert limit_covariance(p, np.array([5.0, 10.0])) is p
    limited = limit_covariance(p, np.array([5.0, 1.0]))
    np.testing.assert_allclose(limited, [[4.0, 1.0 / 3.0], [1.0 / 3.0, 1.0]])


@pytest.mark.parametrize(
    ("settings_", "field"),
    [
        ({"lam": 0.0}, "lam"),
        ({"lam": 1.1}, "lam"),
        ({"delta": -1.0}, "delta"),
        ({"feature_keys": ["a", "a"]}, "feature_keys"),
    ],
)
def test_settings_are_checked(settings_, field):
    with pytest.raises(InvalidSettingError, match=field):
        RecursiveLeastSquares(**settings_)
