"""Linear maps between inertial parameters and pseudo-inertia."""

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import random_consistent

from ekf import inertia_from_parameters
from ekf.errors import DimensionError, InconsistentInertiaError
from ekf.inertia.pseudo_inertia import (
    inertial_parameters,
    is_consistent,
    pseudo_inertia,
)


def test_round_trip_is_exact_for_any_parameters(rng):
    pi = rng.normal(size=(50, 10))
    assert np.allclose(inertial_parameters(pseudo_inertia(pi)), pi, atol=1e-14)


def test_map_is_linear(rng):
    first, second = rng.normal(size=(2, 10))
    combined = pseudo_inertia(0.3 * first + 2.0 * second)
    expected = 0.3 * pseudo_inertia(first) + 2.0 * pseudo_inertia(second)
    assert np.allclose(combined, expected, atol=1e-14)


def test_agrees_with_definition_and_with_pinocchio(rng):
    pi = random_consistent(rng)
    inertia = pin.Inertia.FromDynamicParameters(pi)
    gamma = pseudo_inertia(pi)
    about_origin = inertia.matrix()[3:, 3:]
    sigma = 0.5 * np.trace(about_origin) * np.eye(3) - about_origin
    assert np.allclose(gamma[:3, :3], sigma, atol=1e-12)
    assert np.allclose(gamma[:3, 3], inertia.mass * inertia.lever, atol=1e-12)
    assert gamma[3, 3] == pytest.approx(inertia.mass)
    theirs = pin.PseudoInertia.FromDynamicParameters(pi).toMatrix()
    assert np.allclose(gamma, theirs, atol=1e-12)


def test_point_mass_is_its_moment_matrix():
    point = np.array([0.1, -0.2, 0.3])
    pi = pin.Inertia(2.0, point, np.zeros((3, 3))).toDynamicParameters()
    homogeneous = np.append(point, 1.0)
    expected = 2.0 * np.outer(homogeneous, homogeneous)
    assert np.allclose(pseudo_inertia(pi), expected, atol=1e-15)


def _principal(moments):
    inertia = np.zeros(10)
    inertia[0] = 1.0
    inertia[[4, 6, 9]] = moments
    return inertia


@pytest.mark.parametrize(
    ("pi", "consistent"),
    [
        (_principal((1.0, 1.0, 1.0)), True),
        (_principal((1.0, 1.0, 1.9)), True),
        (_principal((1.0, 1.0, 2.1)), False),  # triangle inequality
        (_principal((-1.0, 1.0, 1.0)), False),
        (-_principal((1.0, 1.0, 1.0)), False),
        (np.full(10, np.nan), False),
        (np.zeros(10), False),
    ],
)
def test_is_consistent(pi, consistent):
    assert is_consistent(pi) is consistent


def test_inertia_from_parameters(rng):
    pi = random_consistent(rng)
    assert np.allclose(inertia_from_parameters(pi).toDynamicParameters(), pi)
    with pytest.raises(InconsistentInertiaError, match="eigenvalue"):
        inertia_from_parameters(_principal((1.0, 1.0, 2.1)))


@pytest.mark.parametrize("call", [pseudo_inertia, is_consistent])
def test_wrong_length_is_named(call):
    with pytest.raises(DimensionError, match="parameters") as caught:
        call(np.zeros(9))
    assert caught.value.shape == (9,)


def test_wrong_matrix_shape_is_named():
    with pytest.raises(DimensionError):
        inertial_parameters(np.zeros((3, 4)))
    with pytest.raises(DimensionError):
        is_consistent(np.zeros((2, 10)))
