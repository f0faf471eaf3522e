"""Mass with first moment, the momentum observer and the streaming filter."""

import numpy as np
import pinocchio as pin
import pytest
from arm_streams import COM_M, LINK, PAYLOAD_KG, channels, loaded_log
from ekf_robots import build_arm, with_payload

from ekf import (
    FictitiousPrior,
    InertialEKF,
    JointSample,
    MomentumPayload,
    PayloadEstimator,
    PayloadMomentRLS,
    PayloadRLS,
    PriorRegime,
    StreamingEKF,
    torque_variance,
)
from ekf.errors import InvalidSettingError
from ekf.inertia.pseudo_inertia import is_consistent
from ekf.payload.momentum_observer import MomentumObserver
from ekf.payload.payload_torque import gravity_regressor
from ekf.streaming import LearnStatus, learn_many


def _ekf(model):
    ekf = InertialEKF(
        model,
        [LINK],
        measurement_variance=torque_variance(model, joints=1.0),
        prior=FictitiousPrior(regime=PriorRegime.NONE),
    )
    return StreamingEKF(model, ekf)


MAKERS = {
    "payload_rls": lambda m: PayloadRLS(m, LINK),
    "moment": lambda m: PayloadMomentRLS(m, LINK),
    "known_com": lambda m: PayloadMomentRLS(m, LINK, com_m=COM_M),
    "gravity": lambda m: PayloadMomentRLS(m, LINK, regressor=gravity_regressor),
    "momentum": lambda m: MomentumPayload(m, LINK, com_m=COM_M),
    "ekf": _ekf,
}


def _tool(model):
    """Name of a frame at the payload, added to the model."""
    placement = pin.SE3(pin.exp3(np.array([0.3, -0.2, 0.9])), np.array(COM_M))
    joint = model.getJointId(LINK)
    model.addFrame(pin.Frame("tool", joint, placement, pin.FrameType.OP_FRAME))
    return "tool"


def test_known_com_finds_the_mass_exactly():
    estimator = PayloadMomentRLS(build_arm(), LINK, com_m=COM_M)
    learn_many(estimator, loaded_log(duration_s=1.0))
    assert estimator.predict_one() == pytest.approx(PAYLOAD_KG, abs=1e-4)
    np.testing.assert_allclose(estimator.com_m, COM_M)


def test_unknown_com_finds_mass_and_moment_about_a_near_frame():
    model = build_arm()
    tool = _tool(model)
    estimator = PayloadMomentRLS(model, tool, lam=1.0)
    learn_many(estimator, loaded_log(duration_s=2.0))
    # 2 kg, first moment zero in the tool's frame; P0 pulls a little.
    np.testing.assert_allclose(estimator.state, [2.0, 0.0, 0.0, 0.0], atol=1e-3)
    loaded = with_payload(build_arm(), LINK, PAYLOAD_KG, COM_M)
    truth = loaded.inertias[6].toDynamicParameters()
    nominal = model.inertias[6].toDynamicParameters()
    np.testing.assert_allclose(nominal + estimator.payload_parameters, truth, atol=1e-3)


def test_gravity_only_is_right_at_rest_and_wrong_in_motion():
    model = build_arm()
    slow, quick = [
        PayloadMomentRLS(model, LINK, com_m=COM_M, regressor=gravity_regressor)
        for _ in range(2)
    ]
    log = loaded_log(duration_s=2.0)
    data = with_payload(model, LINK, PAYLOAD_KG, COM_M).createData()
    loaded = with_payload(model, LINK, PAYLOAD_KG, COM_M)
    still = np.zeros(model.nv)
    for k, q in enumerate(log.q):
        tau = pin.rnea(loaded, data, q, still, still)
        slow.learn_one(
            JointSample(time_s=log.time_s[k], q=q, v=still, a=still, tau=tau)
        )
    learn_many(quick, log)
    assert slow.predict_one() == pytest.approx(PAYLOAD_KG, abs=1e-3)
    assert abs(quick.predict_one() - PAYLOAD_KG) > 0.02


def test_observer_settles_on_the_payload_torque():
    model = build_arm()
    log = loaded_log(duration_s=2.0, rate_hz=1000.0)
    loaded = with_payload(model, LINK, PAYLOAD_KG, COM_M)
    observer = MomentumObserver(model, gain_per_s=200.0)
    for sample in log:
        observer.push(sample.time_s, sample.q, sample.v, sample.tau)
    data, plain = loaded.createData(), model.createData()
    last = (log.q[-6], log.v[-6], log.a[-6])  # the lag is 1 / gain
    extra = pin.rnea(loaded, data, *last) - pin.rnea(model, plain, *last)
    np.testing.assert_allclose(observer.residual, -extra, atol=0.15)


def test_momentum_payload_needs_no_acceleration_and_is_exact_with_its_lag():
    log = loaded_log(duration_s=1.5, rate_hz=500.0, accelerations=False, at_s=0.5)
    estimator = MomentumPayload(build_arm(), LINK, lam=0.98, com_m=COM_M)
    before = []
    for sample in log:
        estimator.learn_one(sample)
        if sample.time_s < 0.5:
            before.append(estimator.predict_one())
    assert max(before) < 5e-3
    assert estimator.predict_one() == pytest.approx(PAYLOAD_KG, abs=5e-3)


def test_momentum_payload_starts_again_after_a_gap():
    samples = list(loaded_log(duration_s=1.0, accelerations=False))
    estimator = MomentumPayload(build_arm(), LINK, com_m=COM_M)
    learn_many(estimator, samples[:100])
    mass = estimator.predict_one()
    assert estimator.learn_one(samples[150]) is LearnStatus.GAP
    assert estimator.predict_one() == mass
    assert estimator.learn_one(samples[151]) is LearnStatus.USED


@pytest.mark.parametrize("name", MAKERS)
def test_common_interface(name):
    model = build_arm()
    estimator = MAKERS[name](model)
    assert isinstance(estimator, PayloadEstimator)
    log = loaded_log(duration_s=2.0, accelerations=False)
    learn_many(estimator, [channels(sample) for sample in log])
    assert estimator.counts[LearnStatus.USED] == len(log) - 1
    n = len(estimator.state)
    assert estimator.covariance.shape == (n, n)
    assert np.linalg.eigvalsh(estimator.covariance)[0] > 0.0
    # Two of them leave out the payload's inertial forces, and pay for it here.
    share = 0.5 if name in ("payload_rls", "gravity") else 0.05
    assert estimator.predict_one() == pytest.approx(PAYLOAD_KG, rel=share)
    assert estimator.sigma_mass_kg > 0.0
    nominal = model.inertias[6].toDynamicParameters()
    assert is_consistent(nominal + estimator.payload_parameters)
    estimator.reset()
    assert estimator.predict_one() == 0.0 and not estimator.counts


@pytest.mark.parametrize("name", MAKERS)
def test_bad_samples_change_nothing(name):
    samples = list(loaded_log(duration_s=0.5, accelerations=False))
    estimator = MAKERS[name](build_arm())
    learn_many(estimator, samples[:50])
    before = estimator.state, estimator.covariance
    bad = dict(channels(samples[50]), q_2=float("nan"))
    missing = channels(samples[50])
    del missing["tau_0"]
    for sample, status in (
        (bad, LearnStatus.MISSING),
        (missing, LearnStatus.MISSING),
        ("nonsense", LearnStatus.MISSING),
        ((1.0, 2.0), LearnStatus.MISSING),
        (samples[49], LearnStatus.TIME_STEP),
    ):
        assert estimator.learn_one(sample) is status
    assert estimator.n_missing == 4
    assert (estimator.state == before[0]).all()
    assert (estimator.covariance == before[1]).all()


def test_static_arm_does_not_wind_up():
    model = build_arm()
    estimator = PayloadMomentRLS(model, LINK, lam=0.9)
    q, still = np.zeros(6), np.zeros(6)
    tau = pin.rnea(model, model.createData(), q, still, still)
    for k in range(3000):
        estimator.learn_one(
            JointSample(time_s=0.01 * k, q=q, v=still, a=still, tau=tau)
        )
    covariance = estimator.covariance
    assert covariance.diagonal().max() <= 100.0 * (1 + 1e-12)
    assert (covariance == covariance.T).all()
    assert np.linalg.eigvalsh(covariance)[0] > 0.0


def test_streaming_ekf_reports_only_its_links():
    model = build_arm()
    with pytest.raises(InvalidSettingError, match="J2"):
        StreamingEKF(model, InertialEKF(model, [LINK]), link="J2")
