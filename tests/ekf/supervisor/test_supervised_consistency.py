"""Whether what is reported as uncertainty is the uncertainty there is."""

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import TIP_M, Motion, build_arm, with_payload
from scipy.stats import chi2, norm
from supervised_runs import LEFT, BipedRun, load

from ekf import (
    FictitiousPrior,
    InertialEKF,
    JointSample,
    PriorRegime,
    ProcessNoise,
    SupervisedEKF,
    SupervisorSettings,
    identify,
)
from ekf.inertia.deviation import DeviationModel
from ekf.supervisor.innovation_noise import InnovationNoise
from ekf.supervisor.settings import NoiseSettings

RUNS = 50
TICKS = 250
NOISE_NM = 0.5
ATTACHED = 20
WHITE = SupervisorSettings(
    noise=NoiseSettings(joints_Nm=NOISE_NM, correlation_s=0.01),
    tracking_scale=1e-12,
    persistent_share=0.0,
    averaged_share=1.0,
    scale_error=1e-9,
)


def _white_noise_run(arm, seed):
    """An arm that picks something up, torques with known white noise.

    The load is drawn as the filter's model has it: density and place, no shape.
    """
    rng = np.random.default_rng(seed)
    theta = np.zeros(10)
    theta[0] = rng.uniform(0.3, 0.8)
    theta[7:] = 0.05 * rng.normal(size=3)
    plant = arm.copy()
    plant.inertias[6] = _deviated(arm, theta)
    held = np.array([1e-2] + [0.0] * 6 + [1e-2] * 3)
    ekf = InertialEKF(
        arm,
        ["J5"],
        process_noise=ProcessNoise(d=0.0, s=0.0),
        measurement_variance=np.full(6, NOISE_NM**2),
        prior=FictitiousPrior(regime=PriorRegime.NONE),
        initial_covariance=held,
    )
    supervised = SupervisedEKF(ekf, settings=WHITE)
    motion = Motion(arm, rng.normal(size=6), 0.7, seed=seed)
    samples, squares = [], []
    for tick in range(TICKS):
        q, v, a = motion(0.05 * tick)
        tau = _rnea(plant if tick >= ATTACHED else arm, q, v, a)
        tau = tau + NOISE_NM * rng.normal(size=6)
        result = supervised.update(0.01 * (tick + 1), q, v, a, tau)
        samples.append(JointSample(time_s=0.01 * tick, q=q, v=v, a=a, tau=tau))
        squares.append(result.estimate.normalised_innovation)
    return theta, result, samples, squares


def _deviated(arm, theta):
    nominal = DeviationModel(arm.inertias[6].toDynamicParameters())
    return pin.Inertia.FromDynamicParameters(nominal.parameters(theta))


def _rnea(model, q, v, a):
    return pin.rnea(model, model.createData(), q, v, a)


@pytest.fixture(scope="module")
def white_runs():
    """50 seeded runs."""
    arm = build_arm()
    return arm, [_white_noise_run(arm, seed) for seed in range(RUNS)]


def test_every_load_is_noticed(white_runs):
    _, runs = white_runs
    assert all(result.reports[0].mass_kg > 0.0 for _, result, *_ in runs)


def test_nees_is_in_its_band(white_runs):
    """Mass and place of 50 loads: chi-square with 200 degrees of freedom."""
    _, runs = white_runs
    free = [0, 7, 8, 9]
    nees = 0.0
    for theta, result, *_ in runs:
        error = (theta - result.estimate.theta[0])[free]
        own = result.estimate.covariance[np.ix_(free, free)]
        nees += error @ np.linalg.solve(own, error)
    print(f"NEES {nees / RUNS:.2f} for 4")
    low, high = chi2.interval(0.95, 4 * RUNS)
    assert low < nees < high


def test_nis_is_in_its_band(white_runs):
    """Innovations while the load is tracked: six rows each."""
    _, runs = white_runs
    squares = np.array([run[3][-60:] for run in runs])
    dof = 6.0 * squares.size
    print(f"NIS {squares.sum() / dof:.3f} per row")
    low, high = chi2.interval(0.95, dof)
    assert low < squares.sum() < high


def test_intervals_hold_the_truth_as_often_as_they_say(white_runs):
    arm, runs = white_runs
    nominal = arm.inertias[6].mass
    held = held_com = 0
    for theta, result, *_ in runs:
        report = result.reports[0]
        low, high = report.interval_kg
        true = nominal * (np.exp(2.0 * theta[0]) - 1.0)
        held += low <= true <= high
        loaded = _deviated(arm, theta)
        centre = (loaded.mass * loaded.lever - nominal * arm.inertias[6].lever) / true
        held_com += (
            np.abs(centre - report.com_m) <= norm.ppf(0.975) * report.sigma_com_m
        )
    print(f"{held} of {RUNS} masses, {held_com} of the centres inside 95 %")
    assert 0.9 * RUNS <= held <= 0.99 * RUNS + 0.5
    assert np.all(held_com >= 0.86 * RUNS)


def test_recursive_equals_batch_optimum(white_runs):
    arm, runs = white_runs
    for _, result, samples, _ in runs[:5]:
        batch = identify(
            arm,
            ["J5"],
            samples[ATTACHED:],
            torque_variance=NOISE_NM**2,
            prior_variance=1e-2,
        )
        sigma = result.estimate.sigma_mass_kg[0]
        difference = result.estimate.mass_kg[0] - batch.parameters[0, 0]
        assert abs(difference) < 2.5 * sigma


def _robot_like(biped, seed):
    """Coulomb friction of 1.5 Nm, torque constants 3 % off, noise: nothing white."""
    rng = np.random.default_rng(seed)
    size = biped.nv - 6
    scale = 1.0 + rng.uniform(-0.03, 0.03, size)
    friction_Nm = rng.uniform(0.5, 1.5, size)
    run = BipedRun(biped, seed=seed, noise_Nm=0.1)
    speed = {}

    def spoil(tau):
        v = run.sample()[1][6:]
        speed["sign"] = np.sign(v)
        return scale * tau + friction_Nm * speed["sign"]

    run.spoil = spoil
    mass = rng.uniform(2.0, 6.0)
    place = tuple(TIP_M + 0.03 * rng.normal(size=3))
    run.feed(2.0)
    return mass, run.feed(2.0, load(mass, LEFT, place)).reports[0]


@pytest.mark.slow
def test_intervals_hold_the_truth_on_robots_with_friction(biped):
    """Systematic errors: the interval has to be wide enough, not exact."""
    held, widths = 0, []
    for seed in range(RUNS):
        mass, report = _robot_like(biped, seed)
        low, high = report.interval_kg
        held += low <= mass <= high
        widths.append((high - low) / mass)
    print(f"{held} of {RUNS} inside, width {np.median(widths):.2f} of the load")
    assert held >= 0.9 * RUNS
    assert np.median(widths) < 0.5


@pytest.mark.parametrize("rate_hz", [20, 50, 500])
def test_the_rate_makes_no_one_surer(biped, rate_hz):
    """An error that lasts half a second is one error, however often it is sampled."""
    sigmas, errors = [], []
    for tick_s in (0.01, 1.0 / rate_hz):
        run = BipedRun(biped, noise_Nm=0.4, tick_s=tick_s)
        run.feed(3.0)
        report = run.feed(1.5, load(3.0)).reports[0]
        sigmas.append(report.sigma_mass_kg)
        errors.append(report.mass_kg - 3.0)
    print(f"sigma {sigmas[1]:.3f} kg at {rate_hz} Hz, {sigmas[0]:.3f} kg at 100 Hz")
    assert sigmas[1] == pytest.approx(sigmas[0], rel=0.15)
    assert np.abs(errors).max() < 2.0 * sigmas[0]


# Long runs


def _strongly_correlated(arm, seconds, rate_hz):
    """Small noise and joints that move together: the covariance is nearly singular."""
    estimator = InertialEKF(arm, ["J5"], measurement_variance=np.full(6, 1e-2))
    plant = with_payload(arm, "J5", 1.0, (0.0, 0.1, -0.2))
    direction = np.ones(6)
    samples = []
    for tick in range(400):
        angle = 2.0 * np.pi * tick / 400
        q = 0.3 * np.sin(angle) * direction
        v = 0.6 * np.cos(angle) * direction
        a = -1.2 * np.sin(angle) * direction
        samples.append((q, v, a, _rnea(plant, q, v, a)))
    worst = 0.0
    for tick in range(round(seconds * rate_hz)):
        estimate = estimator.update(*samples[tick % 400], dt_s=1.0 / rate_hz)
        assert estimate.ok
        if tick % rate_hz == 0:
            covariance = estimate.covariance
            worst = max(worst, np.abs(covariance - covariance.T).max())
            assert np.linalg.eigvalsh(covariance)[0] > 0.0
    assert worst == 0.0
    assert estimator.rejections == {}


def test_covariance_stays_positive_on_correlated_motion(arm):
    _strongly_correlated(arm, 8.0, 500)


@pytest.mark.slow
def test_covariance_stays_positive_for_a_million_steps(arm):
    _strongly_correlated(arm, 2000.0, 500)


def _stand(biped, seconds):
    run = BipedRun(biped, amplitude=0.0, noise_Nm=0.02)
    before = run.ekf.estimate.covariance.diagonal().copy()
    run.feed(seconds)
    resting = run.ekf.estimate.covariance.diagonal().copy()
    assert np.all(resting >= 0.9 * before)
    assert run.events == []
    run.feed(1.0, load(3.0))
    assert run.masses[-1, 0] == pytest.approx(3.0, abs=0.3)


def test_rest_does_not_make_sure(biped):
    """Standing still takes no variance away; what comes afterwards is found."""
    _stand(biped, 10.0)


@pytest.mark.slow
def test_twenty_minutes_of_rest_do_not_make_sure(biped):
    _stand(biped, 1200.0)


def _rounds(biped, count):
    run = BipedRun(biped)
    run.feed(1.0)
    errors, sigmas = [], []
    for _ in range(count):
        run.feed(1.0, load(3.0))
        report = run.supervised.result.reports[0]
        errors.append(report.mass_kg - 3.0)
        sigmas.append(report.sigma_mass_kg)
        run.feed(0.5)
        assert run.masses[-1, 0] == 0.0
    assert np.abs(errors).max() < 0.1
    assert max(sigmas[1:]) < 1.3 * sigmas[0]
    assert len(run.events) == 2 * count


def test_five_rounds_are_alike(biped):
    _rounds(biped, 5)


@pytest.mark.slow
def test_fifty_rounds_are_alike(biped):
    _rounds(biped, 50)


@pytest.mark.slow
def test_ten_minutes_of_noise_raise_no_alarm(biped):
    run = BipedRun(biped, noise_Nm=0.5)
    run.feed(600.0)
    assert run.events == []


def test_learnt_noise_is_right_for_a_normal_distribution():
    """Clipping at two standard deviations takes nothing from the mean square."""
    ones = np.ones(1)
    noise = InnovationNoise(ones, 0.1 * ones, np.full(1, np.inf), span_s=50.0)
    rng = np.random.default_rng(8)
    for innovation in 2.0 * rng.normal(size=(60_000, 1)):
        noise.learn(innovation, ones, 0.01)
    assert noise.variance[0] == pytest.approx(4.0, rel=0.05)
