"""Scalar least squares on a template, and weighing at rest."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from servo_streams import DT_S, TEMPLATE_KG, swinging_arm

from ekf.errors import DimensionError, InvalidSettingError
from ekf.payload.static_payload import HeldPose, fit_torque_constant, identify_static
from ekf.payload.template_rls import TemplateRLS
from ekf.signals.samples import JointSample
from ekf.streaming import LearnStatus, PayloadEstimator


def causal_samples(payload_kg: float, shift: int = 0) -> list[JointSample]:
    """Torque k is what took the state k-1 to k, by explicit Euler."""
    model = swinging_arm(payload_kg)
    data, q, v = model.createData(), np.zeros(2), np.zeros(2)
    states, torques = [(q, v)], [np.zeros(2)]
    for k in range(400):
        a = np.array([8.0, -6.0]) * np.sin(0.07 * k) + np.cos(0.031 * k)
        torques.append(pin.rnea(model, data, q, v, a))
        q, v = q + DT_S * v, v + DT_S * a
        states.append((q, v))
    return [
        JointSample(time_s=k * DT_S, q=q, v=v, tau=torques[min(k + shift, 400)])
        for k, (q, v) in enumerate(states)
    ]


def rls(**settings: float) -> TemplateRLS:
    return TemplateRLS(
        swinging_arm(), swinging_arm(TEMPLATE_KG), TEMPLATE_KG, **settings
    )


def test_mass_is_exact_on_causal_samples() -> None:
    """The prior P0 leaves a few parts in ten thousand."""
    estimator = rls()
    for sample in causal_samples(0.17):
        estimator.learn_one(sample)
    assert estimator.raw_mass_kg == pytest.approx(0.17, abs=1e-4)
    assert estimator.counts == {LearnStatus.FIRST: 1, LearnStatus.USED: 400}


def test_a_torque_one_sample_late_is_visible() -> None:
    errors = []
    for shift in (0, 1):
        estimator = rls()
        for sample in causal_samples(0.17, shift):
            estimator.learn_one(sample)
        errors.append(abs(estimator.raw_mass_kg - 0.17))
    assert errors[1] > 10.0 * errors[0]


def test_raw_and_projected_mass_are_both_kept() -> None:
    heavy, light = rls(largest_kg=0.1), rls()
    for sample in causal_samples(0.17):
        heavy.learn_one(sample)
        light.learn_one(
            JointSample(
                time_s=sample.time_s, q=sample.q, v=sample.v, tau=-1.0 * sample.tau
            )
        )
    assert heavy.mass_kg == 0.1 and heavy.raw_mass_kg > 0.16
    assert light.mass_kg == 0.0 and light.raw_mass_kg < 0.0


def test_it_says_what_the_link_carries() -> None:
    estimator = rls()
    assert isinstance(estimator, PayloadEstimator)
    for sample in causal_samples(0.17):
        estimator.learn_one(sample)
    carried = swinging_arm(estimator.predict_one()).inertias[2].toDynamicParameters()
    nominal = swinging_arm().inertias[2].toDynamicParameters()
    np.testing.assert_allclose(nominal + estimator.payload_parameters, carried)


def test_a_small_regressor_teaches_nothing() -> None:
    estimator = rls(excitation=1e6)
    statuses = [estimator.learn_one(s) for s in causal_samples(0.17)[:5]]
    assert statuses[1:] == [LearnStatus.UNEXCITED] * 4
    assert estimator.raw_mass_kg == 0.0 and estimator.covariance[0, 0] == 100.0


def test_bad_samples_change_nothing() -> None:
    estimator, samples = rls(), causal_samples(0.17)
    for sample in samples[:50]:
        estimator.learn_one(sample)
    before = estimator.raw_mass_kg
    bad = JointSample(time_s=9.0, q=np.full(2, np.nan), v=np.zeros(2), tau=np.zeros(2))
    assert estimator.learn_one(bad) is LearnStatus.MISSING
    assert estimator.learn_one(samples[10]) is LearnStatus.TIME_STEP
    assert estimator.raw_mass_kg == before


def test_forgetting_follows_a_change() -> None:
    slow, quick = rls(), rls(lam=0.95)
    for index, sample in enumerate([*causal_samples(0.0), *causal_samples(0.2)]):
        shifted = JointSample(
            time_s=index * DT_S, q=sample.q, v=sample.v, tau=sample.tau
        )
        for estimator in (slow, quick):
            estimator.learn_one(shifted)
    assert abs(quick.raw_mass_kg - 0.2) < 0.2 * abs(slow.raw_mass_kg - 0.2)


def held(payload_kg: float, friction: float = 0.3) -> HeldPose:
    """Friction points once each way."""
    model, q = swinging_arm(payload_kg), np.array([0.3, -0.5])
    gravity = pin.computeGeneralizedGravity(model, model.createData(), q)
    return HeldPose(q=q, from_above=gravity - friction, from_below=gravity + friction)


def weigh(pose: HeldPose, constant: float = 1.0) -> float:
    empty, template = swinging_arm(), swinging_arm(TEMPLATE_KG)
    return identify_static(
        empty, template, TEMPLATE_KG, [pose], (0, 1), torque_constant=constant
    )


def test_both_sides_cancel_friction() -> None:
    assert weigh(held(0.25)) == pytest.approx(0.25)
    one_side = HeldPose(
        q=held(0.25).q,
        from_above=held(0.25).from_above,
        from_below=held(0.25).from_above,
    )
    assert abs(weigh(one_side) - 0.25) > 0.05


def test_torque_constant_comes_from_the_empty_arm() -> None:
    empty = held(0.0)
    amperes = HeldPose(
        q=empty.q,
        from_above=empty.from_above / 12.5,
        from_below=empty.from_below / 12.5,
    )
    constant = fit_torque_constant(swinging_arm(), [amperes], (0, 1))
    assert constant == pytest.approx(12.5)
    assert weigh(amperes, constant) == pytest.approx(0.0, abs=1e-12)


def test_poses_that_weigh_nothing_are_refused() -> None:
    """Straight up there is no lever."""
    up = HeldPose(
        q=np.array([-np.pi / 2, 0.0]), from_above=np.ones(2), from_below=np.ones(2)
    )
    with pytest.raises(InvalidSettingError, match="must load"):
        weigh(up)
    silent = HeldPose(q=np.zeros(2), from_above=np.zeros(2), from_below=np.zeros(2))
    with pytest.raises(InvalidSettingError, match="not zero"):
        fit_torque_constant(swinging_arm(), [silent], (0, 1))
    short = HeldPose(q=np.zeros(1), from_above=np.zeros(2), from_below=np.zeros(2))
    with pytest.raises(DimensionError, match=r"poses\[0\]\.q"):
        weigh(short)
    broken = HeldPose(
        q=np.zeros(2), from_above=np.full(2, np.nan), from_below=np.zeros(2)
    )
    with pytest.raises(InvalidSettingError, match="finite"):
        weigh(broken)
