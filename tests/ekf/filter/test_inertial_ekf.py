"""The filter: construction, rejections, settings, covariance, consistency."""

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import TIP_M, Motion, home, statics, with_payload
from scipy.stats import chi2

from ekf import FictitiousPrior, InertialEKF, PriorRegime, ProcessNoise, torque_variance
from ekf.errors import (
    DimensionError,
    InconsistentInertiaError,
    InvalidSettingError,
    UnknownLinkError,
)
from ekf.filter.estimate import UpdateStatus
from ekf.inertia.deviation import DeviationModel
from ekf.inertia.pseudo_inertia import is_consistent

FEET = ("LEFT_SOLE", "RIGHT_SOLE")
LINKS = ("LEFT_ELBOW_Y", "RIGHT_ELBOW_Y")


def _arm_tick(model, motion, time_s):
    q, v, a = motion(time_s)
    return q, v, a, pin.rnea(model, model.createData(), q, v, a)


def _arm_run(arm, motion, ticks=40, dt_s=0.01, plant=None, **settings):
    estimator = InertialEKF(arm, ["J5"], **settings)
    plant = with_payload(arm, "J5", 1.0, (0.0, 0.1, -0.2)) if plant is None else plant
    for tick in range(ticks):
        estimator.update(*_arm_tick(plant, motion, tick * dt_s), dt_s=dt_s)
    return estimator


# Construction


def test_links_are_joints_or_bodies(arm):
    by_joint = InertialEKF(arm, ["J5", "J4"])
    by_body = InertialEKF(arm, ["J5_LINK", "J4_LINK"])
    assert by_joint.joint_ids == by_body.joint_ids == (6, 5)
    assert by_body.links == ("J5_LINK", "J4_LINK")


def test_unknown_link_names_the_nearest(biped):
    with pytest.raises(UnknownLinkError, match="LEFT_ELBOW_Y") as caught:
        InertialEKF(biped, ["LEFT_ELBOW"])
    assert "LEFT_ELBOW_Y_LINK" in caught.value.choices
    with pytest.raises(UnknownLinkError, match="LEFT_SOLE"):
        InertialEKF(biped, LINKS, feet=["LEFT_SOUL"])
    with pytest.raises(UnknownLinkError):
        InertialEKF(biped, ["universe"])


@pytest.mark.parametrize("links", [[], ["J5", "J5_LINK"], "J5"])
def test_links_must_be_distinct_bodies(arm, links):
    with pytest.raises(InvalidSettingError, match="links"):
        InertialEKF(arm, links)


def test_feet_must_be_distinct_frames(biped):
    with pytest.raises(InvalidSettingError, match="feet"):
        InertialEKF(biped, LINKS, feet=["LEFT_SOLE", "LEFT_SOLE"])


def test_link_without_inertia_is_refused_by_name(arm):
    arm.inertias[6] = pin.Inertia.Zero()
    with pytest.raises(InconsistentInertiaError, match="J5"):
        InertialEKF(arm, ["J5"])


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("measurement_variance", np.ones(5), DimensionError),
        ("measurement_variance", np.zeros(6), InvalidSettingError),
        ("measurement_variance", np.full(6, np.nan), InvalidSettingError),
        ("initial_covariance", -1.0, InvalidSettingError),
        ("initial_covariance", np.nan, InvalidSettingError),
        ("initial_covariance", np.ones(9), DimensionError),
        ("initial_covariance", -np.ones(10), InvalidSettingError),
        ("initial_covariance", np.triu(np.ones((10, 10))), InvalidSettingError),
    ],
)
def test_arrays_are_checked(arm, field, value, error):
    with pytest.raises(error, match=field):
        InertialEKF(arm, ["J5"], **{field: value})


def test_starts_at_nominal_and_never_touches_the_callers_model(arm, arm_motion):
    before = arm.copy()
    estimator = InertialEKF(arm, ["J5", "J4"])
    start = estimator.estimate
    assert start.status is UpdateStatus.NOT_UPDATED
    assert np.array_equal(start.parameters, estimator.nominal_parameters)
    assert np.array_equal(start.parameters[0], arm.inertias[6].toDynamicParameters())
    assert start.mass_kg[1] == pytest.approx(arm.inertias[5].mass)
    assert np.allclose(start.com_m[1], arm.inertias[5].lever)
    estimator.update(*_arm_tick(arm, arm_motion, 0.1), dt_s=0.01)
    assert arm == before


# Estimate


def test_nominal_torques_leave_the_estimate_at_nominal(arm, arm_motion):
    estimate = _arm_run(arm, arm_motion, plant=arm).estimate
    assert estimate.ok
    assert np.abs(estimate.theta).max() < 1e-12
    assert np.abs(estimate.innovation).max() < 1e-10
    assert estimate.normalised_innovation < 1e-20


def test_channels_are_views_of_theta(arm, arm_motion):
    e = _arm_run(arm, arm_motion).estimate
    stacked = np.concatenate((e.alpha[:, None], e.d, e.s, e.t), axis=1)
    assert np.array_equal(stacked, e.theta)
    assert np.allclose(e.mass_kg, e.parameters[:, 0])
    assert np.allclose(e.com_m * e.mass_kg[:, None], e.parameters[:, 1:4])


def test_sigmas_follow_from_the_covariance_to_first_order(arm, arm_motion):
    estimator = _arm_run(arm, arm_motion)
    e = estimator.estimate
    sigma_alpha = np.sqrt(e.covariance[0, 0])
    assert e.sigma_mass_kg[0] == pytest.approx(2.0 * e.mass_kg[0] * sigma_alpha)
    # com = U-bar (c_nominal, 1): linear in d, s and t, independent of alpha.
    nominal = arm.inertias[6].lever
    gradient = np.zeros((3, 10))
    gradient[np.arange(3), 1 + np.arange(3)] = np.exp(e.d[0]) * nominal
    gradient[0, 4], gradient[1, 5], gradient[0, 6] = nominal[1], nominal[2], nominal[2]
    gradient[np.arange(3), 7 + np.arange(3)] = 1.0
    expected = np.sqrt(np.diag(gradient @ e.covariance @ gradient.T))
    assert np.allclose(e.sigma_com_m[0], expected)


def test_estimate_is_read_only_and_not_overwritten(arm, arm_motion):
    estimator = _arm_run(arm, arm_motion, ticks=5)
    kept = estimator.estimate
    theta = kept.theta.copy()
    estimator.update(*_arm_tick(arm, arm_motion, 1.0), dt_s=0.01)
    assert np.array_equal(kept.theta, theta)
    assert not np.array_equal(estimator.estimate.theta, theta)
    with pytest.raises(ValueError, match="read-only"):
        kept.covariance[0, 0] = 0.0


def test_reset_returns_to_the_start(arm, arm_motion):
    estimator = _arm_run(arm, arm_motion)
    first = estimator.estimate
    assert np.abs(first.theta).max() > 0.01
    start = estimator.reset()
    assert start.status is UpdateStatus.NOT_UPDATED
    assert np.array_equal(start.parameters, estimator.nominal_parameters)
    plant = with_payload(arm, "J5", 1.0, (0.0, 0.1, -0.2))
    for tick in range(40):
        again = estimator.update(*_arm_tick(plant, arm_motion, tick * 0.01), dt_s=0.01)
    assert np.array_equal(again.theta, first.theta)


# Rejections


@pytest.mark.parametrize(
    ("position", "value", "status"),
    [
        (0, np.full(6, np.nan), UpdateStatus.REJECTED_NON_FINITE),
        (1, np.full(6, np.inf), UpdateStatus.REJECTED_NON_FINITE),
        (2, np.full(6, np.nan), UpdateStatus.REJECTED_NON_FINITE),
        (3, np.full(6, -np.inf), UpdateStatus.REJECTED_NON_FINITE),
        (1, np.zeros(5), UpdateStatus.REJECTED_DIMENSION),
        (3, None, UpdateStatus.REJECTED_DIMENSION),
        (4, np.ones((1, 6)), UpdateStatus.REJECTED_DIMENSION),
        (3, np.full(6, 1e200), UpdateStatus.REJECTED_NUMERICAL),
        (3, np.full(6, 1e6), UpdateStatus.REJECTED_NUMERICAL),
    ],
)
def test_bad_input_leaves_the_estimate_alone(arm, arm_motion, position, value, status):
    estimator = _arm_run(arm, arm_motion)
    before = estimator.estimate
    inputs = [*_arm_tick(arm, arm_motion, 0.5), None]
    inputs[position] = value
    after = estimator.update(*inputs, dt_s=0.01)
    assert after.status is status
    assert after.reason
    assert np.array_equal(after.theta, before.theta)
    assert np.array_equal(after.parameters, before.parameters)
    assert np.array_equal(after.covariance, before.covariance)
    assert np.isnan(after.innovation).all()
    assert estimator.rejections == {status: 1}
    assert estimator.estimate is after
    recovered = estimator.update(*_arm_tick(arm, arm_motion, 0.5), dt_s=0.01)
    assert recovered.ok
    assert recovered.reason == ""


@pytest.mark.parametrize("dt_s", [0.0, -0.01, np.nan, np.inf, None])
def test_bad_time_step_is_rejected(arm, arm_motion, dt_s):
    estimator = InertialEKF(arm, ["J5"])
    estimate = estimator.update(*_arm_tick(arm, arm_motion, 0.1), dt_s=dt_s)
    assert estimate.status is UpdateStatus.REJECTED_TIME_STEP


def test_floating_base_rejections(biped, biped_motion):
    estimator = InertialEKF(biped, LINKS, feet=FEET)
    q, v, a = biped_motion(0.1)
    tau, wrenches = statics(biped, FEET, q, v, a)
    missing = estimator.update(q, v, a, tau, dt_s=0.01)
    assert missing.status is UpdateStatus.REJECTED_NO_WRENCHES
    lost = estimator.update(q, v, a, tau, np.full((2, 6), np.nan), dt_s=0.01)
    assert lost.status is UpdateStatus.REJECTED_NON_FINITE
    asleep = estimator.update(0.0 * q, v, a, tau, wrenches, dt_s=0.01)
    assert asleep.status is UpdateStatus.REJECTED_CONFIGURATION
    assert estimator.update(q, v, a, tau, wrenches, dt_s=0.01).ok
    assert sum(estimator.rejections.values()) == 3


def test_time_of_rejected_samples_counts_as_process_noise(arm, arm_motion):
    good = _arm_tick(arm, arm_motion, 0.1)
    interrupted = InertialEKF(arm, ["J5"])
    for _ in range(9):
        interrupted.update(*[np.full(6, np.nan)] * 4, dt_s=0.01)
    waited = InertialEKF(arm, ["J5"], initial_covariance=_grown(9))
    after = interrupted.update(*good, dt_s=0.01)
    expected = waited.update(*good, dt_s=0.01)
    assert np.allclose(after.covariance, expected.covariance, atol=1e-14)


def _grown(ticks):
    return 1e-2 + ticks * ProcessNoise().variances()


# Settings


@pytest.mark.parametrize(
    "change",
    [
        {"process_noise": ProcessNoise(alpha=1e-1)},
        {"process_noise": ProcessNoise(d=1.0)},
        {"process_noise": ProcessNoise(s=1.0)},
        {"process_noise": ProcessNoise(t=1.0)},
        {"measurement_variance": np.full(6, 50.0)},
        {"measurement_variance": np.array([50.0] + [100.0] * 5)},
        {"prior": FictitiousPrior(variance_d=1.0)},
        {"prior": FictitiousPrior(variance_s=1.0)},
        {"prior": FictitiousPrior(regime=PriorRegime.NONE)},
        {"prior": FictitiousPrior(regime=PriorRegime.ALL)},
        {"initial_covariance": 1.0},
        {"initial_covariance": np.array([1.0] + [1e-2] * 9)},
    ],
    ids=lambda change: repr(change)[:70],
)
def test_every_setting_changes_the_estimate(arm, arm_motion, change):
    paper = {"prior": FictitiousPrior()}
    base = _arm_run(arm, arm_motion, **paper).estimate.theta
    changed = _arm_run(arm, arm_motion, **(paper | change)).estimate.theta
    assert np.abs(changed - base).max() > 1e-5


@pytest.mark.parametrize("field", ["variance_alpha", "variance_t"])
def test_variances_of_the_all_regime_change_the_estimate(arm, arm_motion, field):
    weak = FictitiousPrior(regime=PriorRegime.ALL)
    tight = FictitiousPrior(regime=PriorRegime.ALL, **{field: 0.1})
    thetas = [_arm_run(arm, arm_motion, prior=p).estimate.theta for p in (weak, tight)]
    assert np.abs(thetas[0] - thetas[1]).max() > 1e-3


def test_process_noise_is_per_link_and_channel(arm):
    """One hop without information: P grows by Q, entry by entry."""
    noise = ProcessNoise(alpha=1e-6, d=2e-6, s=3e-6, t=4e-6)
    estimator = InertialEKF(
        arm,
        ["J5", "J4"],
        process_noise=noise,
        measurement_variance=np.full(6, 1e12),
        prior=FictitiousPrior(regime=PriorRegime.NONE),
        initial_covariance=np.arange(1.0, 21.0) * 1e-6,
    )
    zeros = np.zeros(6)
    estimate = estimator.update(zeros, zeros, zeros, zeros, dt_s=0.02)
    grown = np.arange(1.0, 21.0) * 1e-6 + 2.0 * np.tile(noise.variances(), 2)
    assert np.allclose(np.diag(estimate.covariance), grown, rtol=1e-6)


def test_zero_noise_and_covariance_hold_a_channel(arm, arm_motion):
    held = np.array([1e-2] + [0.0] * 6 + [1e-2] * 3)
    noise = ProcessNoise(d=0.0, s=0.0)
    e = _arm_run(arm, arm_motion, process_noise=noise, initial_covariance=held).estimate
    assert np.array_equal(e.theta[0, 1:7], np.zeros(6))
    assert np.abs(e.alpha[0]) > 1e-2


@pytest.mark.parametrize("dt_s", [0.001, 0.005, 0.02])
def test_strength_does_not_depend_on_the_rate(arm, arm_motion, dt_s):
    ticks = round(1.0 / dt_s) + 1
    reference = _arm_run(arm, arm_motion, ticks=101).estimate
    other = _arm_run(arm, arm_motion, ticks=ticks, dt_s=dt_s).estimate
    assert np.abs(other.alpha - reference.alpha).max() < 0.05
    assert np.abs(other.t - reference.t).max() < 0.05
    # Where Q and R are alike in one tick, discretisation alone accounts for 1.27; with
    # only Q and the prior scaled to the rate, sigma would be out by up to 0.56.
    sigma = np.sqrt(np.diag(other.covariance) / np.diag(reference.covariance))
    assert 0.75 < sigma.min() and sigma.max() < 1.35


def test_a_long_gap_is_not_taken_for_many_samples(arm, arm_motion):
    """The sample after 5 s counts for 0.1 s; the random walk for all of it."""
    tick = _arm_tick(arm, arm_motion, 0.1)
    after_gap = InertialEKF(arm, ["J5"]).update(*tick, dt_s=5.0)
    grown = InertialEKF(arm, ["J5"], initial_covariance=_grown(490))
    expected = grown.update(*tick, dt_s=0.1)
    assert np.allclose(after_gap.covariance, expected.covariance, atol=1e-12)


# Covariance


def test_covariance_stays_symmetric_and_positive_for_long(arm, arm_motion):
    estimator = InertialEKF(arm, ["J5", "J4"])
    plant = with_payload(arm, "J5", 1.0, (0.0, 0.1, -0.2))
    samples = [_arm_tick(plant, arm_motion, 0.037 * tick) for tick in range(200)]
    for tick in range(10_000):
        estimate = estimator.update(*samples[tick % 200], dt_s=0.01)
        if tick % 500 == 0:
            assert np.array_equal(estimate.covariance, estimate.covariance.T)
            assert np.linalg.eigvalsh(estimate.covariance)[0] > 0.0
            assert all(is_consistent(pi) for pi in estimate.parameters)
    assert estimate.ok
    assert estimator.rejections == {}


def test_nees_is_that_of_an_honest_filter(arm):
    """50 runs with true noise, truth drawn from the prior, random walk included."""
    runs, variance, start, walk = 50, 0.04, 1e-4, 1e-7
    rng = np.random.default_rng(7)
    noise = ProcessNoise(alpha=walk, d=walk, s=walk, t=walk)
    nees = [
        _one_nees(arm, rng, noise, variance, np.full(10, start), ticks=25)
        for _ in range(runs)
    ]
    low, high = chi2.interval(0.99, 10 * runs)
    assert low < sum(nees) < high


def _one_nees(arm, rng, noise, variance, start, ticks):
    estimator = InertialEKF(
        arm,
        ["J5"],
        process_noise=noise,
        measurement_variance=np.full(6, variance),
        prior=FictitiousPrior(regime=PriorRegime.NONE),
        initial_covariance=start,
    )
    motion = Motion(arm, rng.normal(size=6), 0.7, seed=int(rng.integers(1 << 30)))
    theta = rng.normal(size=10) * np.sqrt(start)
    for tick in range(ticks):
        theta += rng.normal(size=10) * np.sqrt(noise.variances())
        q, v, a, tau = _arm_tick(_deviated(arm, theta), motion, 0.05 * tick)
        tau += rng.normal(size=6) * np.sqrt(variance)
        estimate = estimator.update(q, v, a, tau, dt_s=0.01)
    error = theta - estimate.theta[0]
    return error @ np.linalg.solve(estimate.covariance, error)


def _deviated(arm, theta):
    model = arm.copy()
    pi = DeviationModel(arm.inertias[6].toDynamicParameters()).parameters(theta)
    model.inertias[6] = pin.Inertia.FromDynamicParameters(pi)
    return model


# Closed loop on synthetic data


@pytest.mark.parametrize("regime", list(PriorRegime))
def test_arm_payload_is_found(arm, arm_motion, regime):
    plant = with_payload(arm, "J5", 2.0, (0.0, 0.05, -0.2))
    e = _arm_run(
        arm,
        arm_motion,
        ticks=400,
        plant=plant,
        measurement_variance=torque_variance(arm, joints=1.0),
        prior=FictitiousPrior(regime=regime),
    ).estimate
    tolerance = 0.02 if regime is PriorRegime.NONE else 0.1
    truth = plant.inertias[6]
    assert e.mass_kg[0] == pytest.approx(truth.mass, rel=tolerance)
    assert np.linalg.norm(e.com_m[0] - truth.lever) < 0.2 * tolerance


def _loaded_biped_run(biped, duration_s=3.0, amplitude=0.25, **settings):
    """A 5 kg step at the left forearm tip at t = 1 s; returns the estimates after."""
    variance = torque_variance(biped, by_joint={"SPINE_Z": 1e3})
    estimator = InertialEKF(
        biped, LINKS, feet=FEET, measurement_variance=variance, **settings
    )
    loaded = with_payload(biped, LINKS[0], 5.0, TIP_M)
    motion = Motion(biped, home(biped), amplitude, 3, base_amplitude=0.1 * amplitude)
    estimates = []
    for tick in range(round(duration_s * 100)):
        q, v, a = motion(0.01 * tick)
        plant = loaded if tick >= 100 else biped
        tau, wrenches = statics(plant, FEET, q, v, a)
        estimates.append(estimator.update(q, v, a, tau, wrenches, dt_s=0.01))
    return estimates[:100], estimates[100:]


def test_step_payload_on_a_humanoid_forearm(biped):
    before, after = _loaded_biped_run(biped)
    assert np.abs(before[-1].theta).max() < 1e-10
    truth = 0.5 * np.log(5.616 / 0.616)
    alpha = np.array([e.alpha[0] for e in after])
    reached = int(np.argmax(alpha > 0.9 * truth))
    assert 0 < reached < 40  # ticks of 10 ms: the noise is per tick, not per second
    mass = np.array([e.mass_kg[0] for e in after])
    assert mass.max() < 1.05 * 5.616
    assert np.all(np.abs(mass[40:] - 5.616) < 0.05 * 5.616)
    last = after[-1]
    assert last.alpha[0] == pytest.approx(truth, abs=0.01)
    assert last.t[0, 2] == pytest.approx(-0.2725, abs=0.01)
    assert last.mass_kg[1] == pytest.approx(0.616, abs=0.06)


def test_process_noise_as_a_density_would_be_too_slow(biped):
    """Why Table III is read as variance per tick."""
    slow = ProcessNoise(alpha=1e-5, d=1e-4, s=1e-4, t=1e-4)
    _, after = _loaded_biped_run(biped, 2.0, process_noise=slow)
    assert after[39].alpha[0] < 0.9 * 1.105


def test_prior_regimes_differ_as_table_v_says(biped):
    channels = {}
    for regime in PriorRegime:
        _, after = _loaded_biped_run(biped, prior=FictitiousPrior(regime=regime))
        theta = np.array([e.theta[0] for e in after[100:]])
        channels[regime] = np.abs(theta).max(axis=0)
    free, held = channels[PriorRegime.NONE], channels[PriorRegime.INERTIA_ONLY]
    assert free[1:7].max() > 1e-2
    assert held[1:7].max() < 1e-3
    for values in channels.values():
        assert values[0] == pytest.approx(1.105, abs=0.02)


def test_tight_all_channel_prior_pins_the_mass(biped):
    prior = FictitiousPrior(
        regime=PriorRegime.ALL, variance_alpha=1e-6, variance_t=1e-6
    )
    _, after = _loaded_biped_run(biped, 2.0, prior=prior)
    assert abs(after[-1].alpha[0]) < 0.01
    assert np.abs(after[-1].t).max() < 0.01


@pytest.mark.parametrize("payload_kg", [0.0, 5.0])
def test_weak_all_channel_prior_lessens_the_shift_by_torque_errors(biped, payload_kg):
    plant = with_payload(biped, LINKS[0], payload_kg, TIP_M)
    q, v, a = home(biped), np.zeros(27), np.zeros(27)
    tau, wrenches = statics(plant, FEET, q, v, a)
    tau = tau + 0.5 * np.random.default_rng(0).normal(size=21)
    wrenches[:, 2] += 3.0, -6.0
    shift = {}
    for regime in (PriorRegime.INERTIA_ONLY, PriorRegime.ALL):
        prior = FictitiousPrior(regime=regime)
        estimator = InertialEKF(biped, LINKS, feet=FEET, prior=prior)
        for _ in range(800):
            estimate = estimator.update(q, v, a, tau, wrenches, dt_s=0.01)
        shift[regime] = abs(estimate.mass_kg[1] - 0.616)
        assert estimate.mass_kg[0] == pytest.approx(0.616 + payload_kg, abs=0.15)
    assert shift[PriorRegime.INERTIA_ONLY] > 0.3
    assert shift[PriorRegime.ALL] < 0.75 * shift[PriorRegime.INERTIA_ONLY]


def test_an_absurd_gap_does_not_end_the_filter(arm, arm_motion):
    estimator = _arm_run(arm, arm_motion)
    plant = with_payload(arm, "J5", 1.0, (0.0, 0.1, -0.2))
    estimator.update(*_arm_tick(plant, arm_motion, 0.4), dt_s=1e300)
    for tick in range(41, 80):
        after = estimator.update(*_arm_tick(plant, arm_motion, tick * 0.01), dt_s=0.01)
    assert after.ok
    assert after.sigma_mass_kg[0] < 10.0


@pytest.mark.parametrize("spike_Nm", [-500.0, 100.0, 1000.0])
def test_one_absurd_torque_does_not_spoil_the_estimate(arm, arm_motion, spike_Nm):
    estimator = _arm_run(arm, arm_motion, plant=arm)
    q, v, a, tau = _arm_tick(arm, arm_motion, 0.4)
    estimator.update(q, v, a, tau + spike_Nm, dt_s=0.01)
    for tick in range(41, 400):
        after = estimator.update(*_arm_tick(arm, arm_motion, tick * 0.01), dt_s=0.01)
    nominal = estimator.nominal_parameters[0, 0]
    assert after.mass_kg[0] == pytest.approx(nominal, rel=0.1)
