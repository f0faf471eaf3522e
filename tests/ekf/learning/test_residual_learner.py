"""Residual learning: the printed numbers, friction, and drift."""

import numpy as np
import pytest
from ekf_robots import build_biped
from two_link import stepped_samples, torque, two_link

from ekf import JointSample
from ekf.errors import InvalidSettingError
from ekf.learning.drift_aware_learner import (
    DriftAwareResidualDynamicsLearner,
    InnovationTrigger,
)
from ekf.learning.residual_learner import ResidualDynamicsLearner
from ekf.streaming import LearnStatus


def _taught():
    """The learner of the printed examples, and the generator after it."""
    learner, rng = ResidualDynamicsLearner(two_link()), np.random.default_rng(0)
    real = two_link(0.5)
    for q, v, a in rng.uniform(-1, 1, (40, 3, 2)):
        assert learner.learn_one(q, v, a, torque(real, q, v, a)) is LearnStatus.USED
    return learner, rng


def test_printed_prediction_after_forty_moves():
    learner, rng = _taught()
    q, v, a = rng.uniform(-1, 1, (3, 2))
    printed = [
        np.round(torque(two_link(0.5), q, v, a), 3).tolist(),
        np.round(torque(two_link(), q, v, a), 3).tolist(),
        np.round(learner.predict_torque(q, v, a), 3).tolist(),
    ]
    assert printed == [[1.496, 0.558], [0.85, 0.287], [1.422, 0.478]]


def test_printed_errors_on_twenty_new_moves():
    learner, rng = _taught()
    moves = rng.uniform(-1, 1, (20, 3, 2))
    real = two_link(0.5)

    def rmse(predict):
        errors = [torque(real, *move) - predict(*move) for move in moves]
        return round(float(np.sqrt(np.mean(np.square(errors)))), 3)

    nominal = two_link()
    assert rmse(lambda *move: torque(nominal, *move)) == 0.403
    assert rmse(learner.predict_torque) == 0.193


def test_friction_of_one_joint_is_learned_exactly():
    model = two_link()
    learner, rng = ResidualDynamicsLearner(model), np.random.default_rng(1)
    for q, v, a in rng.uniform(-1, 1, (60, 3, 2)):
        learner.learn_one(
            q, v, a, torque(model, q, v, a) + 0.7 * v + 0.2 * np.sign(v) + 0.1
        )
    expected = np.tile([0.0, 0.7, 0.2, 0.0, 0.1], (2, 1))
    np.testing.assert_allclose(learner.state, expected, atol=1e-4)
    assert learner.covariance.shape == (2, 5, 5)


def test_bad_samples_change_nothing_and_samples_are_accepted():
    learner, _ = _taught()
    before = learner.state
    good = np.ones(2)
    for bad in ([np.nan, 0.0], [1.0], None, "word"):
        assert learner.learn_one(good, good, bad, good) is LearnStatus.MISSING
    without = JointSample(time_s=0.0, q=good, v=good, tau=good)
    assert learner.learn_one(without) is LearnStatus.MISSING
    assert learner.n_missing == 5 and (learner.state == before).all()
    assert np.isnan(learner.predict_torque(good, [np.nan, 1.0], good)).all()
    sample = JointSample(time_s=0.0, q=good, v=good, a=good, tau=good)
    assert learner.learn_one(sample) is LearnStatus.USED
    learner.reset()
    assert learner.predict_torque(good, good, good) == pytest.approx(
        torque(two_link(), good, good, good)
    )


def test_floating_base_is_refused():
    with pytest.raises(InvalidSettingError, match="fixed base"):
        ResidualDynamicsLearner(build_biped())


def _events(samples, **settings):
    learner = DriftAwareResidualDynamicsLearner(two_link(), lam=0.99, **settings)
    for sample in samples:
        learner.learn_one(*sample)
    return learner.events


def test_printed_alarms_of_the_hampel_trigger():
    # Friction step 0.5 -> 1.5 with a constant 2 kg, no noise. The reported false alarms
    # "around sample 154-157" are those of a window of four values: the trigger was only
    # switched on after 150 samples.
    samples = stepped_samples(3, payload_kg=(2.0, 2.0), friction=(0.5, 1.5), noise=0.0)
    late = _events(samples, trigger="hampel", detector_warmup=150, warmup_steps=30)
    assert late[:3] == (154, 156, 157)
    assert all(event < 200 for event in late)  # and the change itself is missed
    assert _events(samples, trigger="cusum", detector_warmup=150, drift_h=20.0) == ()


@pytest.mark.parametrize("seed", range(8))
def test_innovation_trigger_fires_within_twenty_samples_and_not_before(seed):
    events = _events(stepped_samples(seed), trigger="innovation")
    assert events and 200 <= events[0] < 220


@pytest.mark.slow
def test_innovation_trigger_over_fifty_seeds():
    first = [_events(stepped_samples(s), trigger="innovation")[0] for s in range(50)]
    assert min(first) >= 200 and max(first) < 220


def test_after_an_alarm_it_forgets_faster_for_a_while():
    samples = stepped_samples(0)
    plain = ResidualDynamicsLearner(two_link(), lam=0.99)
    aware = DriftAwareResidualDynamicsLearner(
        two_link(), lam=0.99, trigger="innovation"
    )
    errors = {plain: [], aware: []}
    for k, (q, v, a, tau) in enumerate(samples):
        for learner, own in errors.items():
            if 210 <= k < 260:
                own.append(tau - learner.predict_torque(q, v, a))
            learner.learn_one(q, v, a, tau)
    rms = {learner: np.sqrt(np.mean(np.square(e))) for learner, e in errors.items()}
    assert rms[aware] < 0.9 * rms[plain]
    aware.reset()
    assert aware.events == ()


def test_a_trigger_may_be_any_function():
    seen = []

    def make(n):
        return lambda innovations: bool(seen.append(innovations.errors.shape)) or n == 0

    assert _events(stepped_samples(0)[:5], trigger=make) == ()
    assert seen == [(2,)] * 5
    strict = lambda n: InnovationTrigger(n, threshold=1e6)  # noqa: E731
    assert _events(stepped_samples(0), trigger=strict) == ()


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"trigger": "page"}, "trigger"),
        ({"drift_reference": "none"}, "drift_reference"),
        ({"fast_lam": 0.0}, "lam"),
        ({"lam": 2.0}, "lam"),
        ({"hampel_radius": 0}, "radius"),
        ({"trigger": "cusum", "drift_h": 0.0}, "h"),
    ],
)
def test_settings_are_checked(settings, field):
    with pytest.raises(InvalidSettingError, match=field):
        DriftAwareResidualDynamicsLearner(two_link(), **settings)
