"""The robot as the page draws it: a tree of joints with simple shapes.

The page turns joints itself, so that a new configuration costs a few numbers.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.description.geometry_text import geometry_text
from models.description.reading import read_description
from models.frame_names import frame_index
from wbmpc.robot import Robot

LIMB_RADIUS_M = 0.035
LIMB_COLOR = (0.86, 0.87, 0.89)
"""Of links that have no simple shape of their own."""
DECIMALS = 6


def robot_figure(robot: Robot) -> bytes:
    """Describe every joint of `Robot.full_model` as JSON.

    `joints` lists the floating base first, then the joints in the order of
    `Robot.joint_names`: `name`, `parent` (index, -1 for the base), placement in the
    parent's joint frame at zero (`p` [m], `q` xyzw), `axis` and `kind` of the motion,
    and `shapes` in the joint's frame (`kind`, `size` [m], `p`, `q`, `color`). `tips`
    places both forearm tips, `home` is a configuration to start from.

    Args:
        robot: The robot.

    Returns:
        UTF-8 text.
    """
    model = robot.full_model
    shapes = _visuals(robot)
    joints = [_joint(robot, index, shapes) for index in range(1, model.njoints)]
    table = {
        "name": robot.settings.name,
        "joints": joints,
        "tips": {s: _tip(model, a.tip_frame) for s, a in robot.arms.items()},
        "home": {
            "base": _pose(pin.XYZQUATToSE3(robot.home_q_full[:7])),
            "q": _numbers(robot.home_q_full[7:]),
        },
    }
    return msgspec.json.encode(table)


def _joint(
    robot: Robot, index: int, shapes: dict[int, list[dict[str, Any]]]
) -> dict[str, Any]:
    model = robot.full_model
    linear, angular = _motion(model, index)
    return {
        "name": model.names[index],
        "parent": int(model.parents[index]) - 1,
        **_pose(model.jointPlacements[index]),
        "kind": "free" if index == 1 else "turn" if angular.any() else "slide",
        "axis": _numbers(angular if angular.any() else linear),
        "shapes": shapes.get(index) or _limbs(robot, index),
    }


def _motion(model: pin.Model, index: int) -> tuple[Array, Array]:
    """Direction of a joint's motion in its own frame, linear and angular."""
    if index == 1:
        return np.zeros(3), np.zeros(3)
    data, q = model.createData(), pin.neutral(model)
    column = model.joints[index].idx_v
    twist = pin.computeJointJacobian(model, data, q, index)[:, column]
    return twist[:3], twist[3:]


def _visuals(robot: Robot) -> dict[int, list[dict[str, Any]]]:
    """Boxes, cylinders, spheres and capsules of the URDF by joint."""
    geometry = pin.buildGeomFromUrdfString(
        robot.full_model, _text_without_meshes(robot), pin.GeometryType.VISUAL
    )
    found: dict[int, list[dict[str, Any]]] = {}
    for item in geometry.geometryObjects:
        shape = _shape(item.geometry)
        if shape:
            color = _numbers(item.meshColor[:3])
            placed = {**shape, **_pose(item.placement), "color": color}
            found.setdefault(int(item.parentJoint), []).append(placed)
    return found


def _text_without_meshes(robot: Robot) -> str:
    """Meshes are not drawn, and would take seconds to read."""
    tree = ET.fromstring(geometry_text(read_description(robot.urdf_path)))
    for link in tree.iter("link"):
        for shape in (*link.findall("visual"), *link.findall("collision")):
            if shape.find("geometry/mesh") is not None:
                link.remove(shape)
    return ET.tostring(tree, encoding="unicode")


def _shape(geometry: Any) -> dict[str, Any] | None:
    """A simple shape; cylinders and capsules lie along z, all are centred."""
    kind = type(geometry).__name__.lower()
    if kind == "box":
        return {"kind": kind, "size": _numbers(2.0 * np.array(geometry.halfSide))}
    if kind == "sphere":
        return {"kind": kind, "size": [round(float(geometry.radius), DECIMALS)]}
    if kind in ("cylinder", "capsule"):
        size = np.array([geometry.radius, 2.0 * geometry.halfLength])
        return {"kind": kind, "size": _numbers(size)}
    return None


def _limbs(robot: Robot, index: int) -> list[dict[str, Any]]:
    """Capsules from a joint to those it carries, to soles and to tips."""
    model = robot.full_model
    ends = [
        model.jointPlacements[child].translation
        for child in range(1, model.njoints)
        if model.parents[child] == index
    ]
    names = [s.frame for s in robot.soles] + [a.tip_frame for a in robot.arms.values()]
    frames = [model.frames[frame_index(model, name)] for name in names]
    ends += [f.placement.translation for f in frames if f.parentJoint == index]
    return [_limb(end) for end in ends if np.linalg.norm(end) > LIMB_RADIUS_M]


def _limb(end: Array) -> dict[str, Any]:
    turn = pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), end)
    size = np.array([LIMB_RADIUS_M, np.linalg.norm(end)])
    return {
        "kind": "capsule",
        "size": _numbers(size),
        **_pose(pin.SE3(turn.matrix(), end / 2.0)),
        "color": list(LIMB_COLOR),
    }


def _tip(model: pin.Model, name: str) -> dict[str, Any]:
    frame = model.frames[frame_index(model, name)]
    return {"joint": int(frame.parentJoint) - 1, **_pose(frame.placement)}


def _pose(placement: pin.SE3) -> dict[str, list[float]]:
    xyzw = pin.Quaternion(placement.rotation).coeffs()
    return {"p": _numbers(placement.translation), "q": _numbers(xyzw)}


def _numbers(values: Array) -> list[float]:
    rounded: list[float] = np.round(np.asarray(values, float), DECIMALS).tolist()
    return rounded
