"""Synthetic arms, the two-link robot and aligned streams."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from ekf import PayloadRLS
from ekf.streaming import learn_many
from models.errors import UnknownNameError
from scenarios.errors import ScenarioError
from scenarios.run.estimation_robot import EstimationRobot
from scenarios.run.estimators import find_estimator
from scenarios.studies.estimators.benchmark import forgetting_table
from scenarios.studies.estimators.estimation import (
    NAMES,
    Track,
    check_names,
    combine,
    count_entries,
    measure_track,
    run_estimator,
    time_to_band_s,
)
from scenarios.studies.estimators.streams.robots import (
    find_robot,
    fixed_base,
    panda,
    panda_urdf,
)
from scenarios.studies.estimators.streams.stream import aligned
from scenarios.studies.estimators.streams.synthetic_arm import (
    ArmStreamSettings,
    synthetic_arm,
)
from scenarios.studies.estimators.streams.two_link import (
    PAYLOAD_FRAME,
    two_link_model,
    two_link_stream,
    two_link_urdf,
)

EXACT = {"noise_q": 0.0, "noise_v": 0.0, "noise_tau": 0.0}


@pytest.fixture(scope="module")
def arm() -> EstimationRobot:
    return panda()


def test_panda_comes_from_the_installed_package() -> None:
    assert panda_urdf().is_file() and ".." not in panda_urdf().parts
    robot = find_robot("panda")
    assert robot.model.nv == 9 and robot.link == "panda_link7"
    assert robot.links == ("panda_joint7",)


@pytest.mark.parametrize(
    ("name", "link", "told"),
    [("pandda", None, "did you mean panda"), ("panda", "lnk7", "panda_link7")],
)
def test_unknown_robots_and_links(name: str, link: str | None, told: str) -> None:
    with pytest.raises(UnknownNameError, match=told):
        find_robot(name, link)


def test_humanoid_estimates_both_forearms_loaded_one_first() -> None:
    robot = find_robot("alexander")
    assert len(robot.links) == len(robot.feet) == 2
    joint = robot.model.frames[robot.model.getFrameId(robot.link)].parentJoint
    assert robot.links[0] == robot.model.names[joint]


def test_motion_is_smooth_inside_limits_and_torques_belong_to_it(
    arm: EstimationRobot,
) -> None:
    settings = ArmStreamSettings(rate_hz=1000.0, duration_s=1.0, payload_at_s=0.5)
    stream = synthetic_arm(arm, _without_noise(settings))
    log, model = stream.log, arm.model
    inside = (log.q > model.lowerPositionLimit) & (log.q < model.upperPositionLimit)
    assert inside.all()
    middle = np.gradient(log.q, 1e-3, axis=0)[1:-1]
    np.testing.assert_allclose(middle, log.v[1:-1], atol=1e-3)
    a = np.gradient(log.v, 1e-3, axis=0)
    data = model.createData()
    for k in (100, 700):
        rigid = pin.rnea(model, data, log.q[k], log.v[k], a[k])
        extra = log.tau[k] - rigid
        assert (np.abs(extra).max() > 1.0) == (k >= 500)
    assert stream.truth_kg is not None
    assert (stream.truth_kg > 0.0).sum() == 500


def test_noise_and_friction_have_the_size_that_was_asked_for(
    arm: EstimationRobot,
) -> None:
    base = ArmStreamSettings(rate_hz=200.0, duration_s=4.0)
    exact = synthetic_arm(arm, _without_noise(base)).log
    noisy = synthetic_arm(arm, base).log
    assert np.std(noisy.q - exact.q) == pytest.approx(1e-3, rel=0.1)
    assert np.std(noisy.v - exact.v) == pytest.approx(5e-3, rel=0.1)
    assert np.std(noisy.tau - exact.tau) == pytest.approx(5e-2, rel=0.1)
    rubbing = _without_noise(base, viscous=2.0, coulomb=0.5)
    rubbed = synthetic_arm(arm, rubbing).log
    expected = 2.0 * exact.v + 0.5 * np.sign(exact.v)
    np.testing.assert_allclose(rubbed.tau - exact.tau, expected, atol=1e-9)
    again = synthetic_arm(arm, base).log
    assert (again.tau == noisy.tau).all()
    longer = synthetic_arm(arm, ArmStreamSettings(rate_hz=200.0, duration_s=5.0)).log
    assert (longer.tau[: len(noisy)] == noisy.tau).all()


def test_weight_only_payload_has_no_inertia(arm: EstimationRobot) -> None:
    base = _without_noise(ArmStreamSettings(payload_at_s=0.0, duration_s=1.0))
    empty = synthetic_arm(arm, _changed(base, payload_kg=0.0)).log
    weight = synthetic_arm(arm, _changed(base, weight_only=True)).log
    lift = PayloadRLS(arm.model, arm.link)._torque.lift
    expected = np.array([5.0 * lift(q) for q in empty.q])
    np.testing.assert_allclose(weight.tau - empty.tau, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"rate_hz": 0.0}, "rate_hz"),
        ({"payload_kg": -1.0}, "payload_kg"),
        ({"noise_tau": float("nan")}, "noise_tau"),
        ({"duration_s": 1e9, "rate_hz": 1e3}, "duration_s"),
    ],
)
def test_settings_are_checked(changes: dict[str, float], field: str) -> None:
    with pytest.raises(ScenarioError, match=field):
        ArmStreamSettings(**changes)  # type: ignore[arg-type]


def test_any_fixed_base_urdf_with_a_continuous_joint(tmp_path: Path) -> None:
    urdf = tmp_path / "turning.urdf"
    text = two_link_urdf().replace(
        'name="joint2" type="revolute"', 'name="joint2" type="continuous"'
    )
    urdf.write_text(text.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 1 0"/>'))
    robot = fixed_base(urdf)
    assert robot.model.nq == 3 and robot.link == "joint2"
    stream = synthetic_arm(robot, ArmStreamSettings(payload_kg=1.0, duration_s=6.0))
    track = run_estimator("mass_rls_known_com", stream)
    assert track.mass_kg[-1] == pytest.approx(1.0, abs=0.1)
    (tmp_path / "bad.urdf").write_text("no robot")
    with pytest.raises(ScenarioError, match="not a usable URDF"):
        fixed_base(tmp_path / "bad.urdf")
    with pytest.raises(UnknownNameError):
        find_robot(str(tmp_path / "missing.urdf"))


def test_forgetting_factors_keep_their_order(arm: EstimationRobot) -> None:
    quick, middle, slow = forgetting_table(arm)
    assert quick.time_to_10pct_s is not None and middle.time_to_10pct_s is not None
    assert quick.time_to_10pct_s == pytest.approx(0.96, abs=0.05)
    assert middle.time_to_10pct_s == pytest.approx(4.26, abs=0.1)
    assert slow.time_to_10pct_s is None and slow.end_kg == pytest.approx(3.94, abs=0.02)
    for row in (quick, middle, slow):
        assert row.smallest_kg >= 0.0
        assert row.largest_before_kg < 0.15
    assert middle.mass_kg["3.50"] == pytest.approx(2.88, abs=0.05)


def test_two_link_robot_is_the_printed_one() -> None:
    nominal, real = two_link_model(), two_link_model(0.5)
    rng = np.random.default_rng(0)
    rng.uniform(-1, 1, (40, 3, 2))
    q, v, a = rng.uniform(-1, 1, (3, 2))
    torques = [pin.rnea(m, m.createData(), q, v, a) for m in (real, nominal)]
    np.testing.assert_allclose(torques, [[1.496, 0.558], [0.85, 0.287]], atol=5e-4)
    assert nominal.existFrame(PAYLOAD_FRAME)
    stream = two_link_stream(0)
    assert len(stream.log) == 400 and stream.at_s == 4.0
    assert learn_many(find_estimator("moment_rls").on_stream(stream.robot), stream.log)


def test_aligned_stream_has_accelerations_once(arm: EstimationRobot) -> None:
    stream = synthetic_arm(arm, ArmStreamSettings(duration_s=1.0))
    once = aligned(stream)
    assert once.log.a is not None and len(once.log) == len(stream.log) - 1
    assert once.truth_kg is not None and len(once.truth_kg) == len(once.log)
    assert aligned(once) is once


@pytest.mark.parametrize("name", NAMES)
def test_every_estimator_runs_and_is_measured(name: str, arm: EstimationRobot) -> None:
    stream = synthetic_arm(
        arm, ArmStreamSettings(duration_s=3.0, payload_at_s=1.0, noise_tau=0.01)
    )
    row = measure_track(run_estimator(name, stream), stream)
    assert row.estimator == name and row.consistent
    assert row.final_error_kg is not None and abs(row.final_error_kg) < 5.0
    assert row.us_per_sample > 0.0 and row.nees is not None
    combined = combine([row, row])
    assert combined.seeds == 2 and combined.noise_kg == row.noise_kg


def test_measures_of_a_known_track(arm: EstimationRobot) -> None:
    stream = synthetic_arm(arm, ArmStreamSettings(duration_s=4.0))
    time_s = stream.log.time_s
    mass = np.where(time_s < 2.5, 0.0, 5.2)
    mass[20:30] = mass[40:42] = 0.7
    track = Track(
        estimator="ekf",
        time_s=time_s,
        mass_kg=mass,
        sigma_kg=np.full(len(mass), 0.1),
        payload=np.zeros(10),
        consistent=True,
        us_per_sample=1.0,
        counts={},
    )
    row = measure_track(track, stream)
    assert row.time_to_10pct_s == pytest.approx(0.5)
    assert row.final_error_kg == pytest.approx(0.2)
    assert row.false_alarms == 2 and row.noise_kg == pytest.approx(0.0, abs=1e-12)
    assert row.nees == pytest.approx(4.0)
    unknown = measure_track(track, replace(stream, truth_kg=None, at_s=None))
    assert unknown.final_error_kg is None and unknown.time_to_10pct_s is None


def test_arrival_counts_only_if_it_lasts() -> None:
    time_s = np.arange(5.0)
    assert time_to_band_s(time_s, np.array([9.0, 0, 9, 0, 0]), 0.0, 1.0) == 3.0
    assert time_to_band_s(time_s, np.array([0.0, 0, 0, 0, 9]), 0.0, 1.0) is None
    assert time_to_band_s(time_s, np.array([9.0, 0, 0, 0, 0]), 1.0, 1.0) == 0.0
    assert count_entries(np.array([True, True, False, True])) == 2


def test_names_of_estimators_are_checked() -> None:
    assert check_names(["ekf", "batch", "ekf"]) == ("ekf", "batch")
    with pytest.raises(UnknownNameError, match="did you mean ekf"):
        check_names(["ekff"])


def _changed(settings: ArmStreamSettings, **changes: object) -> ArmStreamSettings:
    fields = {f: getattr(settings, f) for f in settings.__struct_fields__}
    return ArmStreamSettings(**{**fields, **changes})  # type: ignore[arg-type]


def _without_noise(settings: ArmStreamSettings, **changes: object) -> ArmStreamSettings:
    return _changed(settings, **EXACT, **changes)
