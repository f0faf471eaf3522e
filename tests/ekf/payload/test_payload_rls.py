"""Scalar payload mass: the printed recursion, its skips and its sign."""

import numpy as np
import pinocchio as pin
import pytest
from arm_streams import LINK, channels, loaded_log
from ekf_robots import build_arm, build_biped, home
from hypothesis import given, settings
from hypothesis import strategies as st

from ekf import JointSample, PayloadRLS
from ekf.errors import DimensionError, InvalidSettingError, UnknownLinkError
from ekf.inertia.pseudo_inertia import is_consistent
from ekf.streaming import LearnStatus, learn_many

STILL = {"rate_hz": 50.0, "accelerations": False, "com_m": (0.0, 0.0, 0.0)}


def _printed_recursion(model, log, lam, p=100.0):
    """The update of the docstring, joint after joint."""
    data, joint, m = model.createData(), model.getJointId(LINK), 0.0
    frame = model.addFrame(
        pin.Frame("point", joint, pin.SE3.Identity(), pin.FrameType.OP_FRAME)
    )
    data = model.createData()
    masses = [m]
    for k in range(1, len(log)):
        dt = log.time_s[k] - log.time_s[k - 1]
        a = (log.v[k] - log.v[k - 1]) / dt
        residual = log.tau[k] - pin.rnea(model, data, log.q[k], log.v[k], a)
        jacobian = pin.computeFrameJacobian(
            model, data, log.q[k], frame, pin.LOCAL_WORLD_ALIGNED
        )
        p = min(p / lam, 100.0)
        for phi, r in zip(9.81 * jacobian[2], residual, strict=True):
            gain = p * phi / (1.0 + phi * p * phi)
            m += gain * (r - phi * m)
            p -= gain * phi * p
        masses.append(m)
    return np.array(masses), p


@pytest.mark.parametrize("lam", [1.0, 0.99, 0.95])
def test_closed_form_equals_one_update_a_joint(lam):
    log = loaded_log(noise=(5e-3, 5e-2), at_s=1.0, **STILL)
    estimator = PayloadRLS(build_arm(), LINK, lam)
    ours = []
    for sample in log:
        estimator.learn_one(sample)
        ours.append(float(estimator.state[0]))
    masses, p = _printed_recursion(build_arm(), log, lam)
    np.testing.assert_allclose(ours, masses, atol=1e-10)
    assert estimator.covariance[0, 0] == pytest.approx(p, rel=1e-9)


def test_finds_a_point_payload_of_a_slow_arm():
    model = build_arm()
    log = loaded_log(at_s=0.0, **STILL)
    weight = log.tau.copy()
    data = model.createData()
    jacobian_frame = PayloadRLS(model, LINK)  # its regressor is what is tested below
    for k, q in enumerate(log.q):
        lift = jacobian_frame._torque.lift(q)
        heavier = model.copy()
        heavier.inertias[6] += pin.Inertia(1.0, np.zeros(3), np.zeros((3, 3)))
        one = pin.computeGeneralizedGravity(heavier, heavier.createData(), q)
        np.testing.assert_allclose(
            lift, one - pin.computeGeneralizedGravity(model, data, q), atol=1e-10
        )
        weight[k] = 2.0 * lift
    estimator = PayloadRLS(model, LINK, lam=0.95)
    still = np.zeros(model.nv)
    for k, q in enumerate(log.q):
        tau = pin.rnea(model, data, q, still, still) + weight[k]
        estimator.learn_one((log.time_s[k], q, still, tau))
    assert estimator.predict_one() == pytest.approx(2.0, abs=1e-4)
    assert estimator.payload_parameters[0] == pytest.approx(2.0, abs=1e-4)


def test_output_is_never_negative_but_the_state_may_be():
    model = build_arm()
    estimator = PayloadRLS(model, LINK, lam=0.9)
    data, still = model.createData(), np.zeros(model.nv)
    q = np.array([0.0, 1.0, 0.0, 0.8, 0.0, 0.5])
    tau = pin.rnea(model, data, q, still, still) - 3.0 * estimator._torque.lift(q)
    for k in range(10):
        estimator.learn_one((0.02 * k, q, still, tau))
        assert estimator.predict_one() >= 0.0
    assert estimator.state[0] < -1.0
    assert (estimator.payload_parameters == 0.0).all()
    assert is_consistent(
        model.inertias[6].toDynamicParameters() + estimator.payload_parameters
    )


def test_every_reason_to_skip_is_counted_and_changes_nothing():
    log = loaded_log(**STILL)
    samples = list(log)
    estimator = PayloadRLS(build_arm(), LINK)
    assert estimator.learn_one(samples[0]) is LearnStatus.FIRST
    assert estimator.learn_one(samples[1]) is LearnStatus.USED
    before = estimator.state, estimator.covariance
    bad = dict(channels(samples[2]), tau_3=float("nan"))
    short = channels(samples[2])
    del short["qd_5"]
    assert estimator.learn_one(samples[1]) is LearnStatus.TIME_STEP
    assert estimator.learn_one(samples[0]) is LearnStatus.TIME_STEP
    assert estimator.learn_one(bad) is LearnStatus.MISSING
    assert estimator.learn_one(short) is LearnStatus.MISSING
    assert (estimator.state == before[0]).all()
    assert (estimator.covariance == before[1]).all()
    assert estimator.n_missing == 2
    assert dict(estimator.counts) == {
        LearnStatus.FIRST: 1,
        LearnStatus.USED: 1,
        LearnStatus.TIME_STEP: 2,
        LearnStatus.MISSING: 2,
    }
    # The next good sample spans the hole as if the bad ones had never been.
    clean = PayloadRLS(build_arm(), LINK)
    learn_many(clean, [samples[0], samples[1], samples[3]])
    estimator.learn_one(samples[3])
    assert (estimator.state == clean.state).all()


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["t", "q_0", "qd_3", "tau_5"]),
    st.sampled_from([float("nan"), float("inf"), None, "word"]),
    st.booleans(),
)
def test_nan_or_missing_channels_never_change_the_state(name, value, drop):
    samples = list(loaded_log(duration_s=0.1, **STILL))
    estimator = PayloadRLS(build_arm(), LINK)
    learn_many(estimator, samples[:3])
    before = estimator.state, estimator.covariance
    bad = channels(samples[3])
    if drop:
        del bad[name]
    else:
        bad[name] = value
    assert estimator.learn_one(bad) is LearnStatus.MISSING
    assert (estimator.state == before[0]).all()
    assert (estimator.covariance == before[1]).all()


def test_arrays_channels_samples_and_logs_say_the_same():
    log = loaded_log(duration_s=0.5, **STILL)
    forms = (
        log,
        [channels(sample) for sample in log],
        [dict(reversed(channels(sample).items())) for sample in log],
        [(s.time_s, s.q, s.v, s.tau) for s in log],
        [[s.time_s, list(s.q), list(s.v), list(s.tau)] for s in log],
    )
    states = []
    for form in forms:
        estimator = PayloadRLS(build_arm(), LINK)
        assert learn_many(estimator, form)[LearnStatus.USED] == len(log) - 1
        states.append(estimator.state)
    assert all((state == states[0]).all() for state in states)


def test_reset_starts_again():
    log = loaded_log(duration_s=0.5, **STILL)
    estimator = PayloadRLS(build_arm(), LINK)
    learn_many(estimator, log)
    first = estimator.state
    estimator.reset()
    assert estimator.state[0] == 0.0 and not estimator.counts
    learn_many(estimator, log)
    assert (estimator.state == first).all()


def test_standing_robot_with_contact_wrenches():
    model = build_biped()
    q, still = home(model), np.zeros(model.nv)
    link, feet = "LEFT_ELBOW_Y", ("LEFT_SOLE", "RIGHT_SOLE")
    estimator = PayloadRLS(model, link, feet=feet)
    lift = estimator._torque.lift(q)
    data = model.createData()
    required = pin.rnea(model, data, q, still, still) + 5.0 * lift
    jacobians = [
        pin.computeFrameJacobian(
            model, data, q, model.getFrameId(foot), pin.LOCAL_WORLD_ALIGNED
        )
        for foot in feet
    ]
    stacked = np.hstack([jacobian[:, :6].T for jacobian in jacobians])
    wrenches = np.linalg.lstsq(stacked, required[:6], rcond=None)[0].reshape(2, 6)
    pushed = sum(j.T @ w for j, w in zip(jacobians, wrenches, strict=True))
    for k in range(5):
        sample = JointSample(
            time_s=0.01 * k,
            q=q,
            v=still,
            a=still,
            tau=(required - pushed)[6:],
            wrenches=wrenches,
        )
        assert estimator.learn_one(sample) is LearnStatus.USED
    assert estimator.predict_one() == pytest.approx(5.0, abs=1e-2)
    without = JointSample(time_s=1.0, q=q, v=still, a=still, tau=required[6:])
    assert estimator.learn_one(without) is LearnStatus.MISSING


@pytest.mark.parametrize(
    ("settings_", "error"),
    [
        ({"lam": 0.0}, InvalidSettingError),
        ({"lam": 1.01}, InvalidSettingError),
        ({"initial_variance": 0.0}, InvalidSettingError),
        ({"torque_variance": 0.0}, InvalidSettingError),
        ({"torque_variance": [1.0, 2.0]}, DimensionError),
        ({"link": "J9"}, UnknownLinkError),
        ({"feet": ("SOLE",)}, UnknownLinkError),
    ],
)
def test_settings_are_checked(settings_, error):
    with pytest.raises(error):
        PayloadRLS(build_arm(), **{"link": LINK, **settings_})


@pytest.mark.parametrize("name", ["lam", "initial_variance", "torque_variance"])
def test_every_setting_changes_something(name):
    log = loaded_log(duration_s=0.3, noise=(1e-2, 0.5), **STILL)
    value = {"lam": 0.8, "initial_variance": 1e-4, "torque_variance": 9.0}[name]
    plain = PayloadRLS(build_arm(), LINK)
    other = PayloadRLS(build_arm(), LINK, **{name: value})
    learn_many(plain, log)
    learn_many(other, log)
    assert plain.covariance[0, 0] != other.covariance[0, 0]
