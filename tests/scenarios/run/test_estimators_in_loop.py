"""Every estimator in the loop, by the runner and by hand."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from ekf import PriorRegime
from ekf.inertia.pseudo_inertia import is_consistent
from ekf.signals.aligner import AlignedSample
from models.errors import UnknownNameError
from scenarios.errors import ScenarioError
from scenarios.records.record import RunRecord
from scenarios.report.metrics.run import measure
from scenarios.run.adaptation import AdaptationTick, build_adaptation, estimator_for
from scenarios.run.estimators import ESTIMATORS, EstimatorKind, find_estimator
from scenarios.run.forearms import Forearms
from scenarios.run.runner import run
from scenarios.run.settings import NO_ESTIMATOR, RunSettings
from scenarios.run.tare import TareWindow
from wbmpc import ControlLoop, MujocoPlant, Payload, Robot, home_reference

SHORT = RunSettings(scenario="standing", at_s=0.3, duration_s=0.9)
OTHERS = sorted(ESTIMATORS.keys() - {"ekf_supervised", "ekf_supervised_unplaced"})
UNSEEN = "moment_rls_gravity"
"""Gravity alone shows the moment of a load that is held still, and not its mass."""


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def run_with(name: str) -> RunRecord:
    return run(msgspec.structs.replace(SHORT, estimator=name))


@pytest.mark.parametrize("name", OTHERS)
def test_it_finds_a_load_and_publishes_bodies_only(name: str, robot: Robot) -> None:
    record = run_with(name)
    link = record.links["left"]
    assert not record.fell
    found = link.estimate[-1, 0] - link.nominal[0]
    print(f"{name}: {found:.2f} kg")
    assert name == UNSEEN or found == pytest.approx(5.0, abs=1.5)
    for parameters in (*link.published, *record.links["right"].published):
        assert is_consistent(parameters)
    assert {"wrench", "ekf", "estimator"} <= set(record.timing_ms)
    metrics = measure(record, robot)
    assert (metrics.estimator, metrics.estimator_name) == (True, name)
    assert metrics.published_positive_definite


@pytest.mark.parametrize("name", OTHERS)
def test_what_it_does_not_know_is_absent(name: str, robot: Robot) -> None:
    record = run_with(name)
    metrics = measure(record, robot)
    assert record.supervision is None and metrics.payloads is None
    assert all(link.payload is None for link in record.links.values())
    assert not [told for _, told in record.events if told.startswith("estimator")]
    link = metrics.links[robot.arms["left"].link]
    knows_theta = ESTIMATORS[name].is_filter
    assert (link.alpha_end is not None) == knows_theta
    assert (link.t_end is not None) == knows_theta
    assert link.mass_kg is not None and link.sigma_mass_kg is not None
    adaptation = estimator_for(robot, name)
    assert adaptation.drawn() is None


def test_the_loop_by_hand_is_that_of_the_runner(robot: Robot) -> None:
    """To the last bit: the lines a user writes, and a scenario of the runner."""
    plant, reference = MujocoPlant(robot), home_reference(robot)
    loop = ControlLoop(robot, estimator_for(robot))
    state = plant.reset(robot.home_q_full)
    rows = []
    for step in range(900):
        if step == 300:
            tip = robot.arms["left"].tip_frame
            plant.set_payload(tip, Payload(mass_kg=5.0), 0.0)
        command = loop.step(state, reference)
        if step % 10 == 0:
            rows.append((state.q, command.tau_Nm))
        state = plant.step(command.tau_Nm)
    record = run(SHORT)
    np.testing.assert_array_equal(record.q, [q for q, _ in rows])
    np.testing.assert_array_equal(record.tau_Nm, [tau for _, tau in rows])
    assert loop.last_tick is not None
    update = loop.last_tick.update
    assert isinstance(update, AdaptationTick)
    link = record.links["left"]
    np.testing.assert_array_equal(update.published[0], link.published[-1])
    np.testing.assert_array_equal(update.belief.parameters[0], link.estimate[-1])


def test_the_published_filter_has_the_papers_variances(robot: Robot) -> None:
    """arXiv:2610.22176, Table III: base and spine 1e3, arms and legs 1e2."""
    forearms = Forearms(robot, PriorRegime.INERTIA_ONLY, published=True)
    spine = robot.model.joints[robot.model.getJointId("SPINE_Z")].idx_v
    variance = forearms.ekf.measurement_variance
    thousand = [*range(6), spine]
    assert set(variance[thousand]) == {1e3}
    assert set(np.delete(variance, thousand)) == {1e2}
    assert Forearms(robot, PriorRegime.NONE).ekf.measurement_variance[3] == 1e2


def test_no_estimator_is_none(robot: Robot) -> None:
    settings = msgspec.structs.replace(SHORT, estimator=NO_ESTIMATOR)
    assert build_adaptation(settings, robot) is None
    assert not settings.has_estimator


def test_an_unknown_estimator_names_those_there_are(robot: Robot) -> None:
    settings = msgspec.structs.replace(SHORT, estimator="ekf_supervise")
    with pytest.raises(UnknownNameError, match="did you mean ekf_supervised"):
        build_adaptation(settings, robot)
    with pytest.raises(UnknownNameError):
        estimator_for(robot, NO_ESTIMATOR)


def test_a_tare_is_for_filters(robot: Robot) -> None:
    tare = TareWindow(start_s=0.0, end_s=0.1)
    estimator_for(robot, "ekf", tare=tare)
    with pytest.raises(ScenarioError, match="payload_rls takes none"):
        estimator_for(robot, "payload_rls", tare=tare)


def standing_tau_Nm(robot: Robot, load_kg: float) -> np.ndarray:
    """Torques that hold the home pose and a load at the left tip, on both feet."""
    model, arm = robot.model.copy(), robot.arms["left"]
    tip = model.frames[robot.frame_id(arm.tip_frame)].placement
    model.inertias[robot.link_joint(arm.link)] += tip.act(
        pin.Inertia.FromSphere(load_kg, 0.06)
    )
    data = model.createData()
    gravity = pin.computeGeneralizedGravity(model, data, robot.home_q).copy()
    pin.computeJointJacobians(model, data, robot.home_q)
    pin.updateFramePlacements(model, data)
    world = pin.LOCAL_WORLD_ALIGNED
    feet = [robot.frame_id(sole.frame) for sole in robot.soles]
    jacobian = np.vstack([pin.getFrameJacobian(model, data, f, world) for f in feet])
    wrenches = np.linalg.lstsq(jacobian[:, :6].T, gravity[:6], rcond=None)[0]
    return (gravity - jacobian.T @ wrenches)[6:]


@pytest.mark.parametrize("name", ["ekf", "ekf_supervised"])
def test_a_tared_filter_takes_off_what_it_saw(name: str, robot: Robot) -> None:
    """Held at nominal in the window; what was wrong there is no load afterwards."""
    tau = standing_tau_Nm(robot, load_kg=3.0)

    def off_kg(tare: TareWindow | None) -> list[float]:
        adaptation = estimator_for(robot, name, tare=tare)
        nominal_kg = adaptation.nominal[0, 0]
        off = []
        for k in range(60):
            sample = AlignedSample(
                time_s=0.01 * k,
                q=robot.home_q,
                v=np.full(robot.model.nv, 0.05 * np.sin(k)),
                a=np.zeros(robot.model.nv),
                tau=tau + 0.01 * np.sin(k),
            )
            adaptation.accept(sample)
            off.append(adaptation.tick().belief.parameters[0, 0] - nominal_kg)
        return np.abs(off).tolist()

    plain, tared = off_kg(None), off_kg(TareWindow(start_s=0.0, end_s=0.3))
    assert max(tared[:30]) == 0.0 and max(tared) < 0.05
    assert plain[-1] == pytest.approx(3.0, rel=0.2)


def test_one_entry_is_all_an_estimator_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = find_estimator("mass_rls_known_com")
    mine = EstimatorKind(on_stream=known.on_stream)
    monkeypatch.setitem(ESTIMATORS, "mine", mine)
    short = msgspec.structs.replace(SHORT, duration_s=0.4, at_s=0.1)
    ours, theirs = (
        run(msgspec.structs.replace(short, estimator=name))
        for name in ("mine", "mass_rls_known_com")
    )
    np.testing.assert_array_equal(ours.q, theirs.q)
