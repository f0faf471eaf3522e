"""Deviation of a link from its nominal inertia."""

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import TIP_M, random_consistent

from ekf.errors import InconsistentInertiaError
from ekf.inertia.deviation import DeviationModel
from ekf.inertia.log_cholesky import compose, theta_from_pseudo_inertia, upper_factor
from ekf.inertia.pseudo_inertia import is_consistent, pseudo_inertia


def _forearm():
    """The paper's forearm: 0.62 kg, centre of mass 0.10 m down the link."""
    about_com = np.diag([0.0076, 0.0077, 0.00046])
    inertia = pin.Inertia(0.62, np.array([0.0, 0.0, -0.10]), about_com)
    return DeviationModel(inertia.toDynamicParameters())


def test_zero_is_nominal_to_the_last_bit(rng):
    for _ in range(20):
        pi = random_consistent(rng)
        assert np.array_equal(DeviationModel(pi).parameters(np.zeros(10)), pi)


def test_paper_check_of_mass_and_centre_of_mass():
    theta = np.zeros(10)
    theta[0], theta[9] = 1.10, -0.28
    pi = _forearm().parameters(theta)
    assert pi[0] == pytest.approx(5.6, abs=0.05)
    assert pi[3] / pi[0] == pytest.approx(-0.38, abs=1e-9)
    assert np.allclose(pi[1:3], 0.0)


def test_mass_and_com_laws(rng):
    nominal = random_consistent(rng)
    theta = np.zeros(10)
    theta[0], theta[7:] = 0.4, (0.1, -0.2, 0.3)
    pi = DeviationModel(nominal).parameters(theta)
    assert pi[0] == pytest.approx(nominal[0] * np.exp(0.8))
    assert np.allclose(pi[1:4] / pi[0], nominal[1:4] / nominal[0] + theta[7:])


def test_every_theta_is_consistent(rng):
    model = DeviationModel(random_consistent(rng))
    for _ in range(200):
        assert is_consistent(model.parameters(rng.normal(size=10)))


def test_deviation_is_composition_with_nominal(rng):
    nominal = random_consistent(rng)
    theta = rng.normal(scale=0.3, size=10)
    anchor = theta_from_pseudo_inertia(pseudo_inertia(nominal))
    factor = upper_factor(compose(theta, anchor))
    gamma = pseudo_inertia(DeviationModel(nominal).parameters(theta))
    assert np.allclose(gamma, factor @ factor.T, atol=1e-12)


def test_jacobian_agrees_with_central_differences(rng):
    step = 1e-6
    for _ in range(10):
        model = DeviationModel(random_consistent(rng))
        theta = rng.normal(scale=0.5, size=10)
        columns = [
            (model.parameters(theta + step * e) - model.parameters(theta - step * e))
            / (2 * step)
            for e in np.eye(10)
        ]
        difference = np.stack(columns, axis=1)
        scale = np.abs(difference).max()
        assert np.allclose(model.jacobian(theta), difference, atol=1e-8 * scale)


def test_jacobian_at_a_unit_body_is_pinocchios(rng):
    unit = np.array([1.0, 0, 0, 0, 2.0, 0, 2.0, 0, 0, 2.0])  # Gamma = identity
    theta = rng.normal(scale=0.5, size=10)
    theirs = pin.LogCholeskyParameters(theta).calculateJacobian()
    assert np.allclose(DeviationModel(unit).jacobian(theta), theirs, atol=1e-11)


def test_point_payload_has_a_theta_with_d_and_s():
    model = _forearm()
    point = pin.Inertia(5.0, TIP_M, np.zeros((3, 3))).toDynamicParameters()
    loaded = model.nominal_parameters + point
    anchor = theta_from_pseudo_inertia(pseudo_inertia(model.nominal_parameters))
    inverse = np.linalg.inv(upper_factor(anchor))
    factor = upper_factor(theta_from_pseudo_inertia(pseudo_inertia(loaded))) @ inverse
    gamma = pseudo_inertia(model.parameters(_theta_of(factor)))
    assert np.allclose(gamma, pseudo_inertia(loaded), atol=1e-12)
    assert np.abs(_theta_of(factor)[1:7]).max() > 0.05


def _theta_of(factor):
    return theta_from_pseudo_inertia(factor @ factor.T)


def test_nominal_is_copied_and_read_only(rng):
    pi = random_consistent(rng)
    model = DeviationModel(pi)
    before = pi.copy()
    pi[:] = 0.0
    assert np.array_equal(model.nominal_parameters, before)
    with pytest.raises(ValueError, match="read-only"):
        model.nominal_parameters[0] = 1.0


def test_inconsistent_nominal_names_its_owner():
    with pytest.raises(InconsistentInertiaError, match="FOREARM"):
        DeviationModel(np.zeros(10), owner="FOREARM")
