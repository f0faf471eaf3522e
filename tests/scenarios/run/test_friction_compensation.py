"""Known joint friction in the loop: when it counts, and what the estimator does."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from ekf.signals.aligner import AlignedSample
from scenarios.cli import main, parse
from scenarios.commands.run import Run
from scenarios.exit_codes import EXIT_BAD_INPUT
from scenarios.run.adaptation import AdaptationTick, InertiaAdaptation, estimator_for
from scenarios.run.plant_side import known_friction
from scenarios.run.runner import run
from scenarios.run.settings import RunSettings
from wbmpc.friction import JointFriction
from wbmpc.robot import BASE, Robot

TWIN = RunSettings(scenario="standing", duration_s=0.3, at_s=0.1, plant="hardware_twin")
UNKNOWN = "joint_friction.coulomb_share=0", "joint_friction.viscous_share_s=0"


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def changed(**changes: object) -> RunSettings:
    return msgspec.structs.replace(TWIN, **changes)


def test_friction_counts_on_the_twin_only(robot: Robot) -> None:
    assert known_friction(TWIN, robot) is robot.friction
    assert known_friction(changed(plant="clean"), robot) is None
    assert known_friction(changed(ideal=("friction",)), robot) is None
    assert known_friction(changed(friction_compensation=False), robot) is None


def test_the_flag_switches_it_off() -> None:
    for words, wanted in (([], True), (["--no-friction-compensation"], False)):
        command = parse(["run", "standing", "--plant", "hardware_twin", *words])
        assert isinstance(command, Run)
        settings = command.settings("ekf")
        assert settings.friction_compensation is wanted


def test_the_flag_is_refused_where_it_would_do_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["run", "standing", "--no-friction-compensation"]) == EXIT_BAD_INPUT
    assert "hardware_twin" in capsys.readouterr().err


def test_switched_off_is_the_same_as_nothing_known() -> None:
    """Bit for bit; and knowing does change the run."""
    off = run(changed(friction_compensation=False))
    nothing, known = run(changed(overrides=UNKNOWN)), run(TWIN)
    np.testing.assert_array_equal(off.q, nothing.q)
    assert np.abs(known.q - off.q).max() > 1e-6


def test_the_clean_plant_never_hears_of_it() -> None:
    clean = changed(plant="clean", duration_s=0.1, at_s=0.05)
    stated = run(clean)
    nothing = run(msgspec.structs.replace(clean, overrides=UNKNOWN))
    np.testing.assert_array_equal(stated.q, nothing.q)


def upper_body_error_mrad(robot: Robot, compensated: bool) -> float:
    """RMS angle from its reference over the last half of a short wash."""
    washing = changed(
        scenario="window_washing",
        payload_kg=0.0,
        duration_s=1.6,
        at_s=1.6,
        estimator="none",
        friction_compensation=compensated,
    )
    record = run(washing)
    names = robot.joints("spine", "left_arm", "right_arm")
    joints = [robot.joint_names.index(robot.controlled_joints[n]) for n in names]
    error = record.q[:, 7:][:, joints] - record.q_upper_ref
    return float(1e3 * np.sqrt(np.mean(error[len(error) // 2 :] ** 2)))


def test_arms_follow_more_closely(robot: Robot) -> None:
    """The twin's friction is up to 30 % off, and yet most of its error goes."""
    known, unknown = (upper_body_error_mrad(robot, c) for c in (True, False))
    assert known < 0.4 * unknown


def samples(robot: Robot, extra_Nm: NDArray) -> list[AlignedSample]:
    """A joint swings while the torques stay what they are, plus something."""
    rng = np.random.default_rng(3)
    tau = rng.normal(size=len(extra_Nm))
    v = np.concatenate([np.zeros(BASE), 0.3 * np.ones(len(extra_Nm))])
    return [
        AlignedSample(
            time_s=0.01 * k,
            q=robot.home_q,
            v=v,
            a=np.zeros(robot.model.nv),
            tau=tau + 0.1 * np.sin(k) + extra_Nm,
        )
        for k in range(20)
    ]


def adapted(
    robot: Robot, stream: list[AlignedSample], friction: JointFriction | None
) -> tuple[InertiaAdaptation, list[AdaptationTick]]:
    adaptation = estimator_for(robot, friction=friction)
    ticks = []
    for sample in stream:
        adaptation.accept(sample)
        ticks.append(adaptation.tick())
    return adaptation, ticks


def test_estimator_and_wrenches_do_not_see_known_friction(robot: Robot) -> None:
    """Torques with friction on top, known, are torques without friction."""
    speed = np.full(len(robot.controlled_joints), 0.3)
    extra = robot.friction.torque_Nm(speed)
    _, plain = adapted(robot, samples(robot, np.zeros_like(extra)), None)
    _, known = adapted(robot, samples(robot, extra), robot.friction)
    _, unknown = adapted(robot, samples(robot, extra), None)
    for ours, theirs, other in zip(known, plain, unknown, strict=True):
        np.testing.assert_allclose(ours.wrenches, theirs.wrenches, atol=1e-6)
        np.testing.assert_allclose(
            ours.belief.parameters, theirs.belief.parameters, atol=1e-9
        )
        assert np.abs(other.wrenches - theirs.wrenches).max() > 1.0


def test_a_stuck_torque_is_still_found(robot: Robot) -> None:
    """What is taken off changes with the velocity; what was measured does not."""
    joints = len(robot.controlled_joints)
    stream = []
    for k, sample in enumerate(50 * samples(robot, np.zeros(joints))[:1]):
        tau, v = sample.tau + 0.1 * np.sin(k), sample.v * (1.0 + 0.1 * np.sin(k))
        tau[3] = 1.0
        stream.append(replace(sample, time_s=0.01 * k, tau=tau, v=v))
    adaptation, _ = adapted(robot, stream, robot.friction)
    stuck = f"ekf_channel_{robot.controlled_joints[3]}"
    assert [n for n in adaptation.faults() if "channel" in n] == [stuck]
