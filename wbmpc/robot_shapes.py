"""Shapes of a robot to look at."""

from __future__ import annotations

import pinocchio as pin

from models.description.geometry_text import box_text, geometry_text
from models.description.reading import read_description
from wbmpc.robot import Robot


def load_visuals(robot: Robot) -> pin.GeometryModel:
    """Visuals of the robot's file; boxes stand for meshes that are missing.

    If any shape cannot be read, boxes stand for all of them.
    """
    description = read_description(robot.urdf_path)
    model, kind = robot.full_model, pin.GeometryType.VISUAL
    try:
        text = geometry_text(description, boxes=True)
        return pin.buildGeomFromUrdfString(model, text, kind)
    except (ValueError, RuntimeError):
        return pin.buildGeomFromUrdfString(model, box_text(description), kind)
