"""What counts as a covariance, and that no estimator goes on without one."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import with_payload

from ekf import InertialEKF, PayloadRLS, StreamingEKF, SupervisedEKF
from ekf.covariance import is_covariance, standard_deviations
from ekf.errors import InvalidSettingError
from ekf.filter.estimate import UpdateStatus
from ekf.filter.regularisation import FictitiousPrior
from ekf.learning.recursive_least_squares import RecursiveLeastSquares
from ekf.payload.least_squares import ForgettingLeastSquares
from ekf.signals.samples import JointSample
from ekf.streaming import LearnStatus
from ekf.supervisor.payload_report import payload_moments


def _with(row, column, value):
    matrix = np.eye(4)
    matrix[row, column] = matrix[column, row] = value
    return matrix


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (np.eye(4), True),
        (np.zeros((4, 4)), True),
        (np.ones((4, 4)), True),
        (np.diag([1.0, 0.0, 1e-30, 1e6]), True),
        (_with(1, 1, -1e-2), False),
        (_with(1, 1, -1e-300), False),
        (_with(0, 2, 1.1), False),
        (_with(3, 3, np.nan), False),
        (_with(0, 3, np.inf), False),
        (_with(0, 0, np.inf), False),
        (np.eye(4) + 1e-9 * np.triu(np.ones((4, 4)), 1), False),
    ],
)
def test_a_covariance_is_finite_symmetric_and_positive(matrix, expected):
    assert is_covariance(matrix) is expected


def test_a_negative_variance_is_not_known_exactly():
    roots = standard_deviations([4.0, 0.0, -1e-300, np.nan])
    np.testing.assert_array_equal(roots, [2.0, 0.0, np.nan, np.nan])
    nominal = np.array([1.0] + [0.0] * 9)
    covariance = np.diag([-1e-2] + [1e-2] * 9)
    moments = payload_moments(2.0 * nominal, nominal, np.eye(10), covariance)
    assert np.isnan(moments.sigma_mass_kg)


def test_an_unknown_sigma_is_not_trusted(arm):
    report = SupervisedEKF(InertialEKF(arm, ["J5"])).result.reports[0]
    unknown = replace(report, mass_kg=2.0, sigma_mass_kg=float("nan"))
    assert unknown.confidence == 0.0
    assert replace(unknown, sigma_mass_kg=0.01).confidence > 0.9


def _run(arm, motion, take, *, damage=None, ticks=60):
    """Feed an arm with 1 kg; the damage is done before tick 30."""
    plant = with_payload(arm, "J5", 1.0, (0.0, 0.1, -0.2))
    data, answers = plant.createData(), []
    for tick in range(ticks):
        if tick == 30 and damage is not None:
            damage()
        q, v, a = motion(0.01 * tick)
        answers.append(take(0.01 * tick, q, v, a, pin.rnea(plant, data, q, v, a)))
    return answers


def _put(row, column, value):
    def damage(covariance):
        covariance[row, column] = covariance[column, row] = value

    return damage


DAMAGE = {
    "negative": _put(0, 0, -1e-2),
    "tiny negative": _put(0, 0, -1e-300),
    "tiny": _put(0, 0, 1e-300),
    "large negative": _put(7, 7, -1e3),
    "correlation": _put(0, 7, 1e3),
    "not a number": _put(3, 3, np.nan),
    "infinite": _put(3, 3, np.inf),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=list(DAMAGE))
def test_the_filter_resets_a_damaged_covariance(arm, arm_motion, damage):
    ekf = InertialEKF(arm, ["J5"])

    def take(_, q, v, a, tau):
        return ekf.update(q, v, a, tau, dt_s=0.01)

    answers = _run(arm, arm_motion, take, damage=lambda: damage(ekf._belief.covariance))
    statuses = [answer.status for answer in answers]
    assert statuses.pop(30) is UpdateStatus.REJECTED_COVARIANCE
    assert set(statuses) == {UpdateStatus.OK}
    assert ekf.rejections == {UpdateStatus.REJECTED_COVARIANCE: 1}
    np.testing.assert_array_equal(answers[30].covariance, 1e-2 * np.eye(10))
    np.testing.assert_array_equal(answers[30].theta, answers[29].theta)
    assert "reset" in answers[30].reason
    for answer in answers:
        assert np.linalg.eigvalsh(answer.covariance)[0] > 0.0
        assert answer.sigma_mass_kg[0] > 0.0
    sound = _run(arm, arm_motion, _filter(arm))[-1]
    assert answers[-1].mass_kg[0] == pytest.approx(sound.mass_kg[0], abs=0.05)


def _filter(arm):
    ekf = InertialEKF(arm, ["J5"])
    return lambda _, q, v, a, tau: ekf.update(q, v, a, tau, dt_s=0.01)


def test_an_asymmetric_covariance_is_reset(arm, arm_motion):
    ekf = InertialEKF(arm, ["J5"])

    def damage():
        ekf._belief.covariance[0, 7] += 1e-4

    def take(_, q, v, a, tau):
        return ekf.update(q, v, a, tau, dt_s=0.01)

    _run(arm, arm_motion, take, damage=damage)
    assert ekf.rejections == {UpdateStatus.REJECTED_COVARIANCE: 1}


def test_a_result_that_is_no_covariance_is_refused(arm, arm_motion, monkeypatch):
    monkeypatch.setattr("ekf.filter.belief.is_positive", lambda _: False)
    ekf = InertialEKF(arm, ["J5"])
    q, v, a = arm_motion(0.1)
    estimate = ekf.update(q, v, a, np.ones(6), dt_s=0.01)
    assert estimate.status is UpdateStatus.REJECTED_COVARIANCE
    assert np.array_equal(estimate.theta, np.zeros((1, 10)))


def test_the_supervised_filter_counts_it_and_goes_on(arm, arm_motion):
    supervised = SupervisedEKF(InertialEKF(arm, ["J5"]))
    belief = supervised.ekf._belief
    answers = _run(
        arm,
        arm_motion,
        supervised.update,
        damage=lambda: DAMAGE["negative"](belief.covariance),
    )
    assert supervised.counts["rejected_covariance"] == 1
    assert answers[-1].estimate.ok
    assert all(answer.reports[0].sigma_mass_kg > 0.0 for answer in answers)


def test_streaming_names_it(arm, arm_motion):
    ekf = InertialEKF(arm, ["J5"])
    estimator = StreamingEKF(arm, ekf)

    def take(time_s, q, v, a, tau):
        sample = JointSample(time_s=time_s, q=q, v=v, a=a, tau=tau)
        return estimator.learn_one(sample)

    _run(
        arm,
        arm_motion,
        take,
        damage=lambda: DAMAGE["negative"](ekf._belief.covariance),
    )
    assert estimator.counts == {LearnStatus.USED: 59, LearnStatus.COVARIANCE: 1}


@pytest.mark.parametrize("value", [-1e-2, -1e-300, np.nan])
@pytest.mark.parametrize("n", [1, 3])
def test_least_squares_reset_theirs(rng, n, value):
    squares = ForgettingLeastSquares(np.full(n, 4.0), np.ones(2), 0.95)
    truth = np.arange(1.0, n + 1.0)
    for _ in range(20):
        rows = rng.normal(size=(2, n))
        squares.learn(rows, rows @ truth)
    state = squares.state.copy()
    squares.covariance[0, 0] = value
    assert squares.learn(rows, rows @ truth) is LearnStatus.COVARIANCE
    np.testing.assert_array_equal(squares.covariance, 4.0 * np.eye(n))
    np.testing.assert_array_equal(squares.state, state)
    assert squares.learn(rows, rows @ truth) is LearnStatus.USED


def test_a_payload_of_a_negative_variance_has_no_sigma(arm):
    estimator = PayloadRLS(arm, "J5")
    estimator._squares.covariance[0, 0] = -1e-2
    assert np.isnan(estimator.sigma_mass_kg)


@pytest.mark.parametrize("value", [-1e-2, -1e-300, np.nan])
def test_the_learner_resets_its_covariance(rng, value):
    learner = RecursiveLeastSquares(delta=100.0)
    x = rng.normal(size=(30, 3))
    for row in x:
        learner.learn_one(row, row.sum())
    weights = learner.state
    learner._p[1, 1] = value
    assert learner.learn_one(x[0], x[0].sum()) is LearnStatus.COVARIANCE
    np.testing.assert_array_equal(learner.covariance, 100.0 * np.eye(3))
    np.testing.assert_array_equal(learner.state, weights)
    assert learner.learn_one(x[0], x[0].sum()) is LearnStatus.USED


@pytest.mark.parametrize("value", [1e-300, 1e-13])
def test_variances_that_leave_nothing_but_round_off_are_refused(arm, value):
    with pytest.raises(InvalidSettingError, match=r"measurement_variance.*>= 1e-12"):
        InertialEKF(arm, ["J5"], measurement_variance=value)
    with pytest.raises(InvalidSettingError, match=r"torque_variance.*>= 1e-12"):
        PayloadRLS(arm, "J5", torque_variance=value)
    with pytest.raises(InvalidSettingError, match=r"variance_d.*>= 1e-12"):
        FictitiousPrior(variance_d=value)


def test_the_smallest_variances_work(arm, arm_motion):
    prior = FictitiousPrior(variance_d=1e-12, variance_s=1e-12)
    ekf = InertialEKF(arm, ["J5"], measurement_variance=1e-12, prior=prior)

    def take(_, q, v, a, tau):
        return ekf.update(q, v, a, tau, dt_s=0.01)

    assert all(answer.ok for answer in _run(arm, arm_motion, take))
