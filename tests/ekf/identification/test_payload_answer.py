"""Verdicts on whole logs: right within the interval, or cannot tell."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from arm_logs import ArmLog

from ekf import JointLog
from ekf.identification.evidence import Chain
from ekf.identification.payload_answer import (
    PayloadAnswer,
    Verdict,
    course,
    prepare,
    weigh,
)
from ekf.identification.settings import IdentificationSettings

SETTINGS = IdentificationSettings()


@pytest.fixture(scope="module")
def model() -> pin.Model:
    """Six joints whose links weigh something, as those of an arm do."""
    built = pin.buildSampleModelManipulator()
    for joint in range(1, built.njoints):
        mass = 4.0 - 0.6 * joint
        built.inertias[joint] = pin.Inertia(
            mass, np.array([0.02, 0.01, 0.1]), 0.01 * mass * np.eye(3)
        )
    return built


def answer(
    model: pin.Model,
    log: JointLog,
    at_s: float | None = None,
    tare: JointLog | None = None,
    unmeasured: tuple[str, ...] = (),
) -> PayloadAnswer:
    chain = Chain.to(model, model.names[model.njoints - 1])
    task = prepare(log, chain, SETTINGS, tare=tare, unmeasured=unmeasured)
    assert not isinstance(task, str)
    return weigh(task, at_s).answer


def check_holds(found: PayloadAnswer, truth_kg: float, sigmas: float = 2.5) -> None:
    assert found.mass_kg is not None and found.sigma_kg is not None
    assert abs(found.mass_kg - truth_kg) < sigmas * found.sigma_kg


def test_a_load_that_comes_is_found_with_its_time(model: pin.Model) -> None:
    log = ArmLog(payload_kg=2.0, loaded_s=((8.0, 1e9),)).make(model)
    found = answer(model, log)
    assert found.verdict is Verdict.PAYLOAD
    check_holds(found, 2.0)
    assert found.mass_kg == pytest.approx(2.0, rel=0.05)
    assert found.from_s == pytest.approx(8.0, abs=0.6)
    assert found.com_m is not None
    np.testing.assert_allclose(found.com_m, [0.0, 0.0, 0.08], atol=0.03)


@pytest.mark.parametrize("coulomb", [0.3, 3.0, 12.0])
def test_friction_is_no_payload(model: pin.Model, coulomb: float) -> None:
    log = ArmLog(coulomb=coulomb, stribeck=0.4 * coulomb, seed=3).make(model)
    found = answer(model, log)
    assert found.verdict in (Verdict.NONE, Verdict.CANNOT_TELL)
    check_holds(found, 0.0)


@pytest.mark.parametrize("gain", [0.9, 1.1])
def test_friction_and_torque_constants_leave_it_right_or_untold(
    model: pin.Model, gain: float
) -> None:
    log = ArmLog(
        payload_kg=3.0,
        loaded_s=((7.0, 1e9),),
        coulomb=6.0,
        stribeck=2.0,
        gain=gain,
        seed=1,
    ).make(model)
    found = answer(model, log)
    if found.verdict is Verdict.PAYLOAD:
        assert found.mass_kg == pytest.approx(3.0, rel=0.05)
    check_holds(found, 3.0, 3.0)


def test_a_tare_takes_the_models_error_off(model: pin.Model) -> None:
    wrong = {"lighter_kg": 0.25, "coulomb": 0.5}
    tare = ArmLog(seed=5, **wrong).make(model)
    log = ArmLog(payload_kg=1.5, seed=6, **wrong).make(model)
    without, found = answer(model, log), answer(model, log, tare=tare)
    check_holds(found, 1.5)
    assert found.verdict is Verdict.PAYLOAD
    assert without.sigma_kg > 2.0 * found.sigma_kg
    assert without.verdict is Verdict.CANNOT_TELL and "--tare" in without.reason
    check_holds(without, 1.25)


def test_a_model_that_is_too_heavy_is_said_so(model: pin.Model) -> None:
    light = ArmLog(lighter_kg=0.35, noise_Nm=0.02, coulomb=0.1).make(model)
    found = answer(model, light)
    assert found.verdict is Verdict.MODEL_HEAVIER and "heavier" in found.reason
    check_holds(found, -0.35)


def test_a_load_that_comes_and_goes_cannot_be_told(model: pin.Model) -> None:
    spans = ((4.0, 8.0), (12.0, 16.0))
    found = answer(model, ArmLog(payload_kg=2.0, loaded_s=spans).make(model))
    assert found.verdict is Verdict.CANNOT_TELL and "several times" in found.reason


def test_an_arm_at_rest_cannot_be_told(model: pin.Model) -> None:
    found = answer(model, ArmLog(payload_kg=2.0, amplitude=1e-5).make(model))
    assert found.verdict is Verdict.CANNOT_TELL and "hardly moves" in found.reason
    assert found.mass_kg is None and found.interval_kg is None


def test_a_sign_that_is_wrong_names_its_joint(model: pin.Model) -> None:
    log = ArmLog().make(model)
    tau = log.tau.copy()
    tau[:, 1] *= -1.0
    turned = JointLog(time_s=log.time_s, q=log.q, v=log.v, tau=tau)
    found = answer(model, turned)
    assert found.verdict is Verdict.CANNOT_TELL
    assert model.names[2] in found.reason and "sign" in found.reason


def test_another_robot_cannot_be_told(model: pin.Model) -> None:
    log = ArmLog().make(model)
    noise = 20.0 * np.random.default_rng(0).standard_normal(log.tau.shape)
    found = answer(model, JointLog(time_s=log.time_s, q=log.q, v=log.v, tau=noise))
    assert found.verdict is Verdict.CANNOT_TELL and "explain only" in found.reason


def test_rows_that_nobody_measures_say_nothing(model: pin.Model) -> None:
    log = ArmLog(payload_kg=2.0, loaded_s=((8.0, 1e9),)).make(model)
    tau = log.tau.copy()
    tau[:, 4:] = 0.0
    silent = JointLog(time_s=log.time_s, q=log.q, v=log.v, tau=tau)
    check_holds(answer(model, silent), 2.0)
    tau[:, 4:] = 30.0
    garbage = JointLog(time_s=log.time_s, q=log.q, v=log.v, tau=tau)
    names = tuple(model.names[5:7])
    check_holds(answer(model, garbage, unmeasured=names), 2.0)


def test_thresholds_of_drives_and_late_velocities(model: pin.Model) -> None:
    log = ArmLog(
        payload_kg=2.0,
        loaded_s=((8.0, 1e9),),
        coulomb=1.0,
        threshold_Nm=1.5,
        late_s=0.04,
    ).make(model)
    check_holds(answer(model, log), 2.0)


def test_a_gap_and_an_uneven_rate_change_little(model: pin.Model) -> None:
    log = ArmLog(payload_kg=2.0, loaded_s=((8.0, 1e9),)).make(model)
    rng = np.random.default_rng(0)
    kept = (rng.random(len(log)) > 0.2) & ~((log.time_s > 3.0) & (log.time_s < 4.5))
    thin = JointLog(
        time_s=log.time_s[kept], q=log.q[kept], v=log.v[kept], tau=log.tau[kept]
    )
    check_holds(answer(model, thin), 2.0)


def test_the_course_follows_the_load(model: pin.Model) -> None:
    log = ArmLog(payload_kg=2.0, loaded_s=((10.0, 1e9),)).make(model)
    chain = Chain.to(model, model.names[model.njoints - 1])
    task = prepare(log, chain, SETTINGS)
    assert not isinstance(task, str)
    weighing = weigh(task)
    assert weighing.task is not None and weighing.fit is not None
    times, masses, _ = course(weighing.task, weighing.fit)
    assert np.abs(masses[times < 7.0]).max() < 0.5
    assert np.abs(masses[(times > 13.0) & (times < 18.0)] - 2.0).max() < 0.5
