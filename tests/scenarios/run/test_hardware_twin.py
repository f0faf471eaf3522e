"""The loop on a plant that is not the model, on an estimated base."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from sample_records import make_record

from scenarios.cli import parse
from scenarios.commands.run import Run
from scenarios.records.record import BaseSeries, RunRecord
from scenarios.report.metrics.base_error import base_error, rotation_error_rad
from scenarios.report.metrics.run import measure
from scenarios.run.plant_side import build_plant_side, imperfections_of
from scenarios.run.runner import run
from scenarios.run.settings import RunSettings
from wbmpc.control.loop import ControlLoop
from wbmpc.control.plan import Plan
from wbmpc.errors import UnknownNameError
from wbmpc.plant.imperfections import CLEAN, HARDWARE_TWIN, SWITCHES
from wbmpc.plant.interface import Measurement
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.reference import home_reference
from wbmpc.robot import Robot

SHORT = RunSettings(
    scenario="standing", duration_s=0.4, at_s=0.2, plant="hardware_twin"
)


def replace_settings(**changes: object) -> RunSettings:
    return msgspec.structs.replace(SHORT, **changes)


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


@pytest.fixture(scope="module")
def short_run() -> RunRecord:
    """Standing on the twin with the default estimator, loaded half-way."""
    return run(SHORT)


def test_twin_stands_on_its_estimate(robot: Robot, short_run: RunRecord) -> None:
    """Millimetres, hundredths of a degree, both feet standing, nothing refused."""
    metrics = measure(short_run, robot)
    error = metrics.base_error
    assert not short_run.fell
    assert metrics.plant == "hardware_twin"
    assert metrics.base_estimator == SHORT.base_estimator
    assert error is not None
    assert error.position_max_mm is not None
    assert 0.0 < error.position_max_mm < 5.0
    assert error.orientation_max_deg is not None
    assert error.orientation_max_deg < 0.5
    assert error.standing_pct == {"left": 100.0, "right": 100.0}
    assert not [name for name in short_run.faults if name.startswith("base_")]
    assert "state_estimation" in short_run.timing_ms


def test_twin_runs_repeat_bit_for_bit(short_run: RunRecord) -> None:
    again = run(replace_settings(duration_s=0.25))
    ticks = len(again.time_s)
    np.testing.assert_array_equal(again.q, short_run.q[:ticks])
    assert again.base is not None
    assert short_run.base is not None
    np.testing.assert_array_equal(again.base.twist, short_run.base.twist[:ticks])


def test_true_links_are_the_twins_own(robot: Robot, short_run: RunRecord) -> None:
    """Truth is the plant's forearm, off from the robot file, plus the load."""
    link = short_run.links["left"]
    error = link.truth[0, 0] / link.nominal[0] - 1.0
    assert 1e-4 < abs(error) <= HARDWARE_TWIN.link_mass_error
    assert link.truth[-1, 0] == pytest.approx(link.truth[0, 0] + 5.0)
    metrics = measure(short_run, robot)
    assert metrics.ground.weight_error_pct is not None
    assert short_run.robot_mass_kg is not None


@pytest.mark.parametrize(
    ("changes", "estimated"),
    [
        ({"plant": "clean"}, False),
        ({"plant": "clean", "truth": False}, True),
        ({}, True),
        ({"truth": True}, False),
    ],
)
def test_truth_is_the_default_on_the_clean_plant_only(
    robot: Robot, changes: dict, estimated: bool
) -> None:
    side = build_plant_side(replace_settings(**changes), robot)
    state = side.reset(robot.home_q_full)
    assert (state.base is not None) == estimated
    assert side.truth is not None and state.truth is side.truth.state


def test_clean_plant_is_not_wrapped(robot: Robot) -> None:
    side = build_plant_side(replace_settings(plant="clean"), robot)
    assert isinstance(side.plant, MujocoPlant)
    side.reset(robot.home_q_full)
    state = side.step(np.full(len(robot.joint_names), 3.0))
    assert state.seen is state.truth


def test_truth_on_the_twin_still_measures_torque(robot: Robot) -> None:
    """The simulator's state, the motor's torque."""
    side = build_plant_side(replace_settings(truth=True), robot)
    side.reset(robot.home_q_full)
    tau = np.full(len(robot.joint_names), 3.0)
    for _ in range(5):
        state = side.step(tau)
    np.testing.assert_array_equal(state.seen.q, state.truth.q)
    np.testing.assert_array_equal(state.seen.v, state.truth.v)
    assert np.abs(state.seen.tau_Nm - state.truth.tau_Nm).max() > 0.01


def test_imperfections_can_be_left_out_by_name() -> None:
    assert imperfections_of(replace_settings(ideal=tuple(SWITCHES))) == CLEAN
    assert imperfections_of(SHORT) == HARDWARE_TWIN
    with pytest.raises(UnknownNameError, match="sole_compliance"):
        imperfections_of(replace_settings(ideal=("gravity",)))
    with pytest.raises(UnknownNameError, match="hardware_twin"):
        imperfections_of(replace_settings(plant="moon"))


def test_unknown_base_estimator_names_the_choices(robot: Robot) -> None:
    with pytest.raises(UnknownNameError, match="contact_ekf"):
        build_plant_side(replace_settings(base_estimator="magic"), robot)


@pytest.mark.parametrize("delay", [0, 1, 2])
def test_plans_are_late_by_whole_ticks(robot: Robot, delay: int) -> None:
    """After tick k the plan in force is that of tick k - delay."""
    followed: list[Plan] = []
    control = ControlLoop(robot, None, plan_delay_ticks=delay, deliver=followed.append)
    reference = home_reference(robot)
    for tick in range(4):
        control.tick(
            Measurement(
                time_s=0.01 * tick,
                q=robot.home_q_full,
                v=np.zeros(robot.full_model.nv),
                tau_Nm=np.zeros(len(robot.joint_names)),
            ),
            reference,
        )
    assert followed[-1].time_s == pytest.approx(0.01 * (3 - delay))
    assert len(followed) == 1 + 4 - delay, "the start plan, then one per tick"


def test_base_error_of_a_known_offset(robot: Robot) -> None:
    """1 mm in x, 2 mm in z, 90 degrees of yaw, 3 mm/s and 4 mrad/s."""
    record = make_record(robot)
    ticks, half = len(record.time_s), np.sqrt(0.5)
    base = BaseSeries(
        position_m=record.q[:, :3] + [1e-3, 0, -2e-3],
        quaternion_xyzw=np.tile([0, 0, half, half], (ticks, 1)),
        twist=record.v[:, :6] + [0, 3e-3, 0, 0, 0, -4e-3],
        contacts=np.tile([True, False], (ticks, 1)),
    )
    error = base_error(replace(record, base=base))
    assert error is not None
    assert error.position_rms_mm == pytest.approx({"x": 1.0, "y": 0.0, "z": 2.0})
    assert error.position_max_mm == pytest.approx(np.sqrt(5.0))
    assert error.orientation_rms_deg == pytest.approx({"x": 0, "y": 0, "z": 90.0})
    assert error.linear_velocity_rms_mm_per_s["y"] == pytest.approx(3.0)
    assert error.angular_velocity_rms_mrad_per_s["z"] == pytest.approx(4.0)
    assert error.standing_pct == {"left": 100.0, "right": 0.0}
    assert base_error(record) is None


def test_rotation_error_does_not_see_the_sign_of_a_quaternion() -> None:
    quaternion = np.array([[0.1, -0.2, 0.3, np.sqrt(0.86)]])
    np.testing.assert_allclose(
        rotation_error_rad(quaternion, -quaternion), 0, atol=1e-9
    )


@pytest.mark.parametrize(
    ("words", "plant", "uses_truth"),
    [
        ([], "clean", True),
        (["--plant", "hardware_twin"], "hardware_twin", False),
        (["--plant", "hardware_twin", "--truth"], "hardware_twin", True),
    ],
)
def test_flags_choose_plant_and_state(
    words: list[str], plant: str, uses_truth: bool
) -> None:
    options = parse(["run", "standing", *words])
    assert isinstance(options, Run)
    settings = options.settings("ekf_supervised")
    assert (settings.plant, settings.uses_truth) == (plant, uses_truth)
