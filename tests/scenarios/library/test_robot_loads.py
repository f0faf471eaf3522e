"""Loads by weight and by what the arms can hold; motions by reach."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from models.errors import UnknownNameError
from scenarios.commands.run import Run
from scenarios.library.loads.suited_load import (
    TORQUE_SHARE,
    arm_strength,
    suited_load,
)
from scenarios.library.motions.arms_forward import reach_forward
from scenarios.library.motions.body_scale import height_ratio, mass_ratio, reach_ratio
from scenarios.library.motions.washing import (
    WashingMotion,
    suited_motion,
)
from scenarios.library.run_settings import run_settings
from scenarios.library.standing import stand
from wbmpc.robot import Robot
from wbmpc.settings import load_settings


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def weakened(robot: Robot, joint: str, effort_Nm: float) -> Robot:
    """The same robot with a smaller effort limit."""
    weak = Robot(robot.settings)
    index = weak.full_model.joints[weak.full_model.getJointId(joint)].idx_v
    limits = weak.full_model.upperEffortLimit.copy()
    limits[index] = effort_Nm
    weak.full_model.upperEffortLimit = limits
    return weak


def test_the_papers_robot_gets_the_papers_numbers(robot: Robot) -> None:
    assert mass_ratio(robot) == height_ratio(robot) == reach_ratio(robot) == 1.0
    assert suited_motion(robot) == WashingMotion()
    track = reach_forward(robot, 3.0)
    load = suited_load(robot, track, 5.0, ("left", "right"))
    assert load.load_kg == 5.0
    assert load.weight_share == pytest.approx(0.15, abs=1e-3)
    assert "as in the paper" in load.sentence("alexander")


def test_a_load_at_the_limit_takes_the_limit(robot: Robot) -> None:
    """The answer put on the arm gives the torque it was solved for."""
    weak = weakened(robot, "LEFT_ELBOW_Y", 20.0)
    strength = arm_strength(weak, "left")
    assert strength.joint == "LEFT_ELBOW_Y"
    model, data = weak.full_model, weak.full_model.createData()
    tip = model.frames[model.getFrameId("LEFT_FOREARM_TIP")]
    loaded = model.copy()
    loaded.appendBodyToJoint(
        tip.parentJoint,
        pin.Inertia(strength.load_kg, np.zeros(3), np.zeros((3, 3))),
        tip.placement,
    )
    q, torques = weak.home_q_full, []
    row = 6 + weak.joint_names.index("LEFT_ELBOW_Y")
    for pose in ({}, *weak.settings.poses.values()):
        posed = q.copy()
        for name, angle in pose.items():
            posed[7 + weak.joint_names.index(name)] = angle
        torques.append(abs(pin.computeGeneralizedGravity(loaded, data, posed)[row]))
    assert max(torques) == pytest.approx(TORQUE_SHARE * 20.0, rel=1e-9)


def test_weak_arms_get_less_and_it_is_said(robot: Robot) -> None:
    weak = weakened(robot, "RIGHT_ELBOW_Y", 20.0)
    track = stand(weak, 1.0)
    left, both = (
        suited_load(weak, track, 5.0, sides) for sides in (("left",), ("left", "right"))
    )
    assert left.load_kg == 5.0
    assert both.load_kg < 5.0
    assert both.load_kg <= both.strength.load_kg
    assert "less than the paper's 5.00 kg" in both.sentence("weak")
    assert "RIGHT_ELBOW_Y, 20 Nm" in both.sentence("weak")


def test_an_arm_that_does_not_hold_itself_gets_nothing(robot: Robot) -> None:
    weak = weakened(robot, "LEFT_SHOULDER_Y", 0.1)
    track = reach_forward(weak, 3.0)
    assert suited_load(weak, track, 5.0, ("left",)).load_kg == 0.0


def test_what_is_asked_for_goes_before_what_suits() -> None:
    asked = run_settings("balance", robot="g1", payload_kg=1.0)
    assert asked.payload_kg == 1.0
    assert run_settings("balance").payload_kg == 5.0


def test_other_robots_get_their_share_or_what_they_can_hold() -> None:
    """Half the paper's robot washes with half its load; two of those its waist cannot
    hold far ahead."""
    assert run_settings("window_washing", robot="g1").payload_kg == pytest.approx(2.5)
    assert 1.0 < run_settings("balance", robot="g1").payload_kg < 2.5


def test_the_spine_holds_both_arms(robot: Robot) -> None:
    g1 = Robot.load("g1")
    track = reach_forward(g1, 3.0)
    one, both = (
        suited_load(g1, track, 50.0, sides).strength
        for sides in (("left",), ("left", "right"))
    )
    assert both.joint == "waist_pitch_joint"
    assert both.load_kg < 0.6 * one.load_kg
    # The paper's robot has a spine that turns about the vertical only.
    strong = suited_load(robot, reach_forward(robot, 3.0), 50.0, ("left",))
    assert strong.strength.joint == "LEFT_ELBOW_Y"


def test_a_missing_pose_is_named(robot: Robot) -> None:
    bare = Robot(msgspec.structs.replace(load_settings("alexander"), poses={}))
    with pytest.raises(UnknownNameError, match="'arms_forward'"):
        reach_forward(bare, 3.0)
    assert robot.settings.poses


def test_a_load_beyond_the_strength_is_warned_of(robot: Robot) -> None:
    weak = weakened(robot, "LEFT_ELBOW_Y", 20.0)
    load = suited_load(weak, stand(weak, 1.0), 5.0, ("left",))
    at_share, at_all = load.strength.load_kg, load.strength.full_load_kg
    assert at_share < at_all
    assert load.warning("weak", at_share) is None
    tight = load.warning("weak", 0.5 * (at_share + at_all))
    assert tight is not None and "little left to move it with" in tight
    beyond = load.warning("weak", at_all + 0.1)
    assert beyond is not None
    for words in (
        f"can hold {at_share:.2f} kg",
        "LEFT_ELBOW_Y, 20 Nm",
        f"{at_all:.2f}",
    ):
        assert words in beyond
    assert "torques at their limits" in beyond


def test_a_run_says_that_its_load_is_too_much(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for payload, warned in ((1.0, False), (9.0, True)):
        options = Run(scenario="standing", robot="g1", payload=payload)
        options.tell_load(options.settings("none"))
        assert ("more than g1 can hold" in capsys.readouterr().err) == warned
    options = Run(scenario="standing", payload=30.0)
    options.tell_load(options.settings("none"))
    assert "30.00 kg per arm is more than alexander" in capsys.readouterr().err


def test_a_load_is_not_less_than_itself(robot: Robot) -> None:
    """As it is printed."""
    load = suited_load(robot, stand(robot, 1.0), 5.0, ("left",))
    near = msgspec.structs.replace(load, load_kg=5.0, wanted_kg=5.0000001)
    assert "as in the paper" in near.sentence("it")
