"""The supervised filter behind the interface of all payload estimators."""

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import with_payload

from ekf import (
    FictitiousPrior,
    InertialEKF,
    JointSample,
    PriorRegime,
    StreamingSupervisedEKF,
)
from ekf.streaming import LearnStatus
from ekf.supervisor.link_monitor import LinkState

PLACE = (0.0, 0.1, -0.2)


def _samples(arm, motion, ticks, first=0, loaded=False):
    model = with_payload(arm, "J5", 1.5, PLACE) if loaded else arm
    data = model.createData()
    for tick in range(first, first + ticks):
        q, v, a = motion(0.01 * tick)
        tau = pin.rnea(model, data, q, v, a)
        yield JointSample(time_s=0.01 * tick, q=q, v=v, a=a, tau=tau)


@pytest.fixture
def estimator(arm):
    """Of the arm's last link."""
    ekf = InertialEKF(
        arm,
        ["J5"],
        measurement_variance=np.full(6, 1.0),
        prior=FictitiousPrior(regime=PriorRegime.NONE),
    )
    return StreamingSupervisedEKF(arm, ekf)


def test_a_log_tells_its_events_and_the_report(arm, arm_motion, estimator):
    for sample in _samples(arm, arm_motion, 100):
        assert estimator.learn_one(sample) is LearnStatus.USED
    assert estimator.predict_one() == 0.0
    for sample in _samples(arm, arm_motion, 200, first=100, loaded=True):
        estimator.learn_one(sample)
    assert [event.kind.value for event in estimator.events] == ["attach"]
    assert estimator.predict_one() == pytest.approx(1.5, abs=0.1)
    assert estimator.report.state is LinkState.TRACKING
    assert estimator.sigma_mass_kg == estimator.report.sigma_mass_kg
    assert np.allclose(estimator.report.com_m, PLACE, atol=0.03)


def test_reset_forgets_events_and_load(arm, arm_motion, estimator):
    for loaded, first in ((False, 0), (True, 50)):
        for sample in _samples(arm, arm_motion, 50, first, loaded):
            estimator.learn_one(sample)
    assert estimator.events
    estimator.reset()
    assert estimator.events == ()
    assert estimator.predict_one() == 0.0
    assert estimator.counts == {}
    # The clock starts again too: the same log is taken once more.
    first = next(iter(_samples(arm, arm_motion, 1)))
    assert estimator.learn_one(first) is LearnStatus.USED


def test_a_sample_with_a_gap_changes_nothing(arm, arm_motion, estimator):
    samples = list(_samples(arm, arm_motion, 20))
    for sample in samples[:10]:
        estimator.learn_one(sample)
    bad = JointSample(
        time_s=samples[10].time_s,
        q=samples[10].q * np.nan,
        v=samples[10].v,
        a=samples[10].a,
        tau=samples[10].tau,
    )
    assert estimator.learn_one(bad) is LearnStatus.MISSING
    assert estimator.n_missing == 1
    assert estimator.learn_one(samples[11]) is LearnStatus.USED
