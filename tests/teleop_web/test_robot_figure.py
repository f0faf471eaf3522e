from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from models import robot_names
from teleop.web import robot_figure
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


@pytest.fixture(scope="module")
def figure(robot: Robot) -> dict[str, Any]:
    table: dict[str, Any] = json.loads(robot_figure(robot))
    return table


def placement(entry: dict[str, Any]) -> pin.SE3:
    return pin.XYZQUATToSE3(np.array([*entry["p"], *entry["q"]]))


def motion(joint: dict[str, Any], value: float) -> pin.SE3:
    axis = np.array(joint["axis"])
    if joint["kind"] == "turn":
        return pin.SE3(pin.exp3(axis * value), np.zeros(3))
    return pin.SE3(np.eye(3), axis * value)


def poses(figure: dict[str, Any], q: np.ndarray) -> list[pin.SE3]:
    """Forward kinematics as the page does it."""
    found = [pin.XYZQUATToSE3(q[:7])]
    for joint, value in zip(figure["joints"][1:], q[7:], strict=True):
        own = placement(joint) * motion(joint, value)
        found.append(found[joint["parent"]] * own)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_its_kinematics_are_the_robot_s(
    robot: Robot, figure: dict[str, Any], seed: int
) -> None:
    model = robot.full_model
    low, high = model.lowerPositionLimit.copy(), model.upperPositionLimit.copy()
    low[:7], high[:7] = -1.0, 1.0
    pin.seed(seed)
    q = pin.randomConfiguration(model, low, high)
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    found = poses(figure, q)
    for joint, pose in enumerate(found, start=1):
        assert pose.isApprox(data.oMi[joint], 1e-5)
    for side, tip in figure["tips"].items():
        frame = model.getFrameId(robot.arms[side].tip_frame)
        assert (found[tip["joint"]] * placement(tip)).isApprox(data.oMf[frame], 1e-5)


def test_joints_come_in_the_order_of_the_status(
    robot: Robot, figure: dict[str, Any]
) -> None:
    names = [joint["name"] for joint in figure["joints"]]
    assert names[1:] == list(robot.joint_names)
    assert figure["home"]["q"] == pytest.approx(robot.home_q_full[7:])


def test_every_simple_shape_of_the_urdf_is_there(
    robot: Robot, figure: dict[str, Any]
) -> None:
    visuals = pin.buildGeomFromUrdf(
        robot.full_model, str(robot.urdf_path), pin.GeometryType.VISUAL
    )
    shapes = [shape for joint in figure["joints"] for shape in joint["shapes"]]
    assert len(shapes) == len(visuals.geometryObjects)
    assert {s["kind"] for s in shapes} <= {"box", "cylinder", "sphere", "capsule"}


def test_a_robot_without_shapes_gets_capsules(robot: Robot, tmp_path: Path) -> None:
    urdf = robot.urdf_path.read_text()
    bare = Robot.load("alexander")
    bare.urdf_path = tmp_path / "bare.urdf"
    parts = urdf.split("<visual")
    kept = parts[0] + "".join(part.partition("</visual>")[2] for part in parts[1:])
    bare.urdf_path.write_text(kept)
    joints = json.loads(robot_figure(bare))["joints"]
    shapes = [shape for joint in joints for shape in joint["shapes"]]
    assert shapes and {shape["kind"] for shape in shapes} == {"capsule"}
    shin = next(j for j in joints if j["name"] == "LEFT_KNEE_Y")
    ankle = next(j for j in joints if j["name"] == "LEFT_ANKLE_Y")
    (limb,) = shin["shapes"]
    end = placement(limb).act(np.array([0.0, 0.0, limb["size"][1] / 2.0]))
    assert end == pytest.approx(ankle["p"], abs=1e-5)


@pytest.mark.parametrize("name", robot_names())
def test_every_shipped_robot_has_a_figure(name: str) -> None:
    robot = Robot.load(name)
    joints = json.loads(robot_figure(robot))["joints"]
    assert [joint["name"] for joint in joints[1:]] == list(robot.joint_names)
    assert sum(len(joint["shapes"]) for joint in joints) >= 15
