"""Legs bent to a commanded height and pelvis, feet where they are."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from wbmpc.control.mpc import WholeBodyMpc
from wbmpc.ocp.leg_posture import LegPosture
from wbmpc.ocp.target import sole_placements
from wbmpc.reference import Reference, home_reference
from wbmpc.robot import Robot


def _lower(reference: Reference, depth_m: float, pitch_rad: float) -> Reference:
    rotation = reference.rotation_pelvis_to_midfoot
    return Reference(
        q_upper=reference.q_upper,
        v_upper=reference.v_upper,
        com_m=reference.com_m - np.array([0.0, 0.0, depth_m]),
        rotation_pelvis_to_midfoot=rotation @ pin.rpy.rpyToMatrix(0.0, pitch_rad, 0.0),
    )


def test_home_is_home_bit_for_bit(robot: Robot) -> None:
    home = home_reference(robot)
    posture = LegPosture(robot)
    q = posture.at(home.com_m, home.rotation_pelvis_to_midfoot)
    assert np.array_equal(q, robot.home_q)


@pytest.mark.parametrize(
    ("depth_m", "pitch_rad"), [(0.05, 0.0), (0.2, 0.6), (-0.02, 0)]
)
def test_height_pelvis_and_feet_are_as_asked(
    robot: Robot, depth_m: float, pitch_rad: float
) -> None:
    asked = _lower(home_reference(robot), depth_m, pitch_rad)
    rotation = asked.rotation_pelvis_to_midfoot
    q = LegPosture(robot).at(asked.com_m, rotation)
    data = robot.model.createData()
    com = pin.centerOfMass(robot.model, data, q)
    pin.framesForwardKinematics(robot.model, data, q)
    pelvis = data.oMf[robot.frame_id(robot.settings.root_link)].rotation
    assert com[2] == pytest.approx(asked.com_m[2], abs=1e-6)
    np.testing.assert_allclose(pelvis, rotation, atol=1e-6)
    now, then = sole_placements(robot, q), sole_placements(robot, robot.home_q)
    for name in now:
        np.testing.assert_allclose(
            now[name].homogeneous, then[name].homogeneous, atol=1e-6
        )
    upper = 7 + robot.joints("spine", "left_arm", "right_arm")
    assert np.array_equal(q[upper], robot.home_q[upper])


def test_out_of_reach_stays_within_the_limits(robot: Robot) -> None:
    home = home_reference(robot)
    low = np.array([*home.com_m[:2], 0.1])
    q = LegPosture(robot).at(low, home.rotation_pelvis_to_midfoot)
    assert np.isfinite(q).all()
    assert (q[7:] >= robot.model.lowerPositionLimit[7:] - 1e-9).all()
    assert (q[7:] <= robot.model.upperPositionLimit[7:] + 1e-9).all()


def test_answer_does_not_depend_on_the_way(robot: Robot) -> None:
    home, posture = home_reference(robot), LegPosture(robot)
    asked = _lower(home, 0.15, 0.4)
    direct = posture.at(asked.com_m, asked.rotation_pelvis_to_midfoot)
    posture = LegPosture(robot)
    for share in np.linspace(0.0, 1.0, 20):
        step = _lower(home, 0.15 * share, 0.4 * share)
        q = posture.at(step.com_m, step.rotation_pelvis_to_midfoot)
    np.testing.assert_allclose(q, direct, atol=1e-6)


def test_mpc_bends_the_reference_of_the_legs(robot: Robot) -> None:
    mpc = WholeBodyMpc(robot)
    residual = next(i.residual for i in mpc.ocp.items if i.name == "lower_body_state")
    home = home_reference(robot)
    mpc.set_reference(_lower(home, 0.1, 0.2))
    knee = 7 + robot.controlled_joints.index("LEFT_KNEE_Y")
    assert residual.reference[knee] > robot.home_q[knee] + 0.2
    mpc.set_reference(home)
    assert np.array_equal(residual.reference[: robot.model.nq], robot.home_q)


@pytest.mark.parametrize("height_m", [1e200, -1e308])
def test_an_absurd_height_does_not_spoil_the_next_one(
    robot: Robot, height_m: float
) -> None:
    home = home_reference(robot)
    rotation, asked_m = home.rotation_pelvis_to_midfoot, home.com_m[2] - 0.05
    posture = LegPosture(robot)
    place = home.com_m[:2]
    assert np.isfinite(posture.at(np.array([*place, height_m]), rotation)).all()
    for k in range(5):
        q = posture.at(np.array([*place, asked_m + 1e-4 * k]), rotation)
    data = robot.model.createData()
    com = pin.centerOfMass(robot.model, data, q)
    assert com[2] == pytest.approx(asked_m + 4e-4, abs=1e-3)
