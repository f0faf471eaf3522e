"""Log-Cholesky coordinates: group laws, derivatives, Pinocchio's type."""

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import random_consistent

from ekf.errors import DimensionError, InconsistentInertiaError
from ekf.inertia.log_cholesky import (
    compose,
    theta_from_pseudo_inertia,
    upper_factor,
    upper_factor_partials,
)
from ekf.inertia.pseudo_inertia import inertial_parameters, pseudo_inertia


def _random_theta(rng):
    return rng.normal(scale=0.5, size=10)


def test_identity_is_zero():
    assert np.array_equal(upper_factor(np.zeros(10)), np.eye(4))


def test_entries_are_where_the_definition_puts_them():
    alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = theta = 0.1 * np.arange(1, 11)
    expected = np.exp(alpha) * np.array(
        [
            [np.exp(d1), s12, s13, t1],
            [0.0, np.exp(d2), s23, t2],
            [0.0, 0.0, np.exp(d3), t3],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
    assert np.allclose(upper_factor(theta), expected, atol=1e-15)


def test_product_u_ut_agrees_with_pinocchio(rng):
    for _ in range(20):
        theta = _random_theta(rng)
        factor = upper_factor(theta)
        theirs = pin.LogCholeskyParameters(theta)
        gamma = theirs.toPseudoInertia().toMatrix()
        assert np.allclose(factor @ factor.T, gamma, atol=1e-12)
        # The form printed in the 2022 paper's eq. 9 is another matrix altogether.
        assert np.abs(factor.T @ factor - gamma).max() > 1e-2
        assert np.allclose(
            inertial_parameters(factor @ factor.T),
            theirs.toDynamicParameters(),
            atol=1e-12,
        )


def test_partials_agree_with_central_differences(rng):
    theta, step = _random_theta(rng), 1e-6
    for index, direction in enumerate(np.eye(10)):
        difference = upper_factor(theta + step * direction) - upper_factor(
            theta - step * direction
        )
        partial = upper_factor_partials(theta)[index]
        assert np.allclose(partial, difference / (2 * step), atol=1e-8)


def test_theta_round_trip(rng):
    for _ in range(20):
        theta = _random_theta(rng)
        factor = upper_factor(theta)
        assert np.allclose(theta_from_pseudo_inertia(factor @ factor.T), theta)


def test_pseudo_inertia_round_trip(rng):
    for _ in range(20):
        gamma = pseudo_inertia(random_consistent(rng))
        factor = upper_factor(theta_from_pseudo_inertia(gamma))
        assert np.allclose(factor @ factor.T, gamma, atol=1e-12)
        assert np.allclose(np.tril(factor, -1), 0.0)


def test_composition_is_the_matrix_product(rng):
    first, second, third = (_random_theta(rng) for _ in range(3))
    product = upper_factor(first) @ upper_factor(second)
    assert np.allclose(upper_factor(compose(first, second)), product, atol=1e-12)
    assert np.allclose(
        compose(compose(first, second), third), compose(first, compose(second, third))
    )
    assert np.allclose(compose(first, np.zeros(10)), first, atol=1e-14)
    assert np.allclose(compose(np.zeros(10), first), first, atol=1e-14)
    assert not np.allclose(compose(first, second), compose(second, first))


def test_inconsistent_matrix_is_refused():
    with pytest.raises(InconsistentInertiaError) as caught:
        theta_from_pseudo_inertia(np.diag([1.0, 1.0, -0.5, 1.0]))
    assert caught.value.smallest_eigenvalue == pytest.approx(-0.5)
    with pytest.raises(InconsistentInertiaError):
        theta_from_pseudo_inertia(np.full((4, 4), np.nan))


def test_wrong_length_is_named():
    with pytest.raises(DimensionError, match="theta"):
        upper_factor(np.zeros(9))
