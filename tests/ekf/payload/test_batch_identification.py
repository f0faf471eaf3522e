"""Offline identification: exact data, noise, consistency, missing excitation."""

import numpy as np
import pinocchio as pin
import pytest
from arm_streams import COM_M, LINK, PAYLOAD_KG, loaded_log
from ekf_robots import build_arm, with_payload

from ekf import identify
from ekf.errors import InvalidSettingError, UnknownLinkError
from ekf.inertia.pseudo_inertia import is_consistent

TRUTH = (
    with_payload(build_arm(), LINK, PAYLOAD_KG, COM_M).inertias[6].toDynamicParameters()
)


def test_exact_data_give_the_exact_link():
    result = identify(
        build_arm(), [LINK], loaded_log(), torque_variance=1e-6, prior_variance=1e6
    )
    assert result.converged
    np.testing.assert_allclose(result.parameters[0], TRUTH, atol=1e-6)
    assert result.residual_rms < 1e-2


def test_two_links_at_once_explain_all_torques():
    # How neighbours share their mass cannot be seen; what they do together can.
    result = identify(build_arm(), ["J4", LINK], loaded_log(), torque_variance=1e-6)
    assert result.residual_rms < 1.0
    assert all(is_consistent(pi) for pi in result.parameters)
    assert result.sigma_mass_kg[1] > abs(result.parameters[1, 0] - TRUTH[0]) / 5.0


def test_the_minimum_is_found_in_a_flat_valley():
    """Noise and two neighbours: the slope at the end, and not a count of steps."""
    log = loaded_log(noise=(5e-3, 0.5))
    result = identify(build_arm(), ["J4", LINK], log, max_iterations=1000)
    assert result.converged
    again = identify(build_arm(), ["J4", LINK], log, max_iterations=2000)
    np.testing.assert_array_equal(again.theta, result.theta)
    assert not identify(build_arm(), ["J4", LINK], log, max_iterations=3).converged


def test_mass_is_calibrated_under_torque_noise():
    errors = []
    for seed in range(20):
        log = loaded_log(noise=(0.0, 0.3), seed=seed, rate_hz=50.0)
        result = identify(build_arm(), [LINK], log, torque_variance=0.09)
        error = result.parameters[0, 0] - TRUTH[0]
        errors.append((error / result.sigma_mass_kg[0]) ** 2)
        assert result.residual_rms == pytest.approx(1.0, abs=0.15)
    assert 0.4 < np.mean(errors) < 2.0


def test_impossible_data_still_give_a_rigid_body():
    log = loaded_log(payload_kg=0.0)
    # Torques of a link of negative mass: the plain least-squares answer is no body.
    lighter = build_arm()
    nominal = lighter.inertias[6].toDynamicParameters()
    data = lighter.createData()
    rows = []
    for sample in log:
        full = pin.rnea(lighter, data, sample.q, sample.v, sample.a)
        regressor = pin.computeJointTorqueRegressor(
            lighter, data, sample.q, sample.v, sample.a
        )[:, 50:]
        rows.append(
            (
                sample.time_s,
                sample.q,
                sample.v,
                full - 1.5 * regressor @ nominal,
                sample.a,
            )
        )
    result = identify(build_arm(), [LINK], rows, prior_variance=1e4)
    assert is_consistent(result.parameters[0])
    assert result.parameters[0, 0] < 0.2 * nominal[0]


def test_unexcited_directions_stay_nominal():
    log = loaded_log(payload_kg=0.0, duration_s=0.01)
    result = identify(build_arm(), [LINK], log)
    nominal = build_arm().inertias[6].toDynamicParameters()
    np.testing.assert_allclose(result.parameters[0], nominal, atol=1e-8)


def test_samples_without_acceleration_are_left_out():
    good, bad = loaded_log(), loaded_log(duration_s=0.1, accelerations=False)
    result = identify(build_arm(), [LINK], [*good, *bad])
    assert (result.n_samples, result.n_missing) == (len(good), len(bad))
    with pytest.raises(InvalidSettingError, match="samples"):
        identify(build_arm(), [LINK], bad)


def test_settings_are_checked():
    with pytest.raises(UnknownLinkError):
        identify(build_arm(), ["J9"], loaded_log())
    for wrong in ({"prior_variance": 0.0}, {"max_iterations": 0}):
        with pytest.raises(InvalidSettingError):
            identify(build_arm(), [LINK], loaded_log(), **wrong)
