"""How large a robot is beside the paper's: scenarios are scaled by it.

Ratios are rounded to 1 %, so that the paper's own robot gets the paper's numbers.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from models.limb_root import limb_root_m
from wbmpc.reference import home_reference
from wbmpc.robot import Robot

PAPER_MASS_KG = 66.9
"""Of the humanoid of arXiv:2610.22176."""
PAPER_COM_HEIGHT_M = 0.795
PAPER_REACH_M = 0.578
"""From its first shoulder joint to the tip at home."""


def mass_ratio(robot: Robot) -> float:
    """Of the weight."""
    return _ratio(pin.computeTotalMass(robot.full_model), PAPER_MASS_KG)


def height_ratio(robot: Robot) -> float:
    """Of the height of the centre of mass at home."""
    return _ratio(float(home_reference(robot).com_m[2]), PAPER_COM_HEIGHT_M)


def reach_ratio(robot: Robot) -> float:
    """Of the distance from shoulder to tip at home, the shorter arm's."""
    model = robot.model
    data = model.createData()
    pin.framesForwardKinematics(model, data, robot.home_q)
    reaches = []
    for side, arm in robot.arms.items():
        names = getattr(robot.settings.groups, f"{side}_arm")
        first, last = (model.getJointId(name) for name in (names[0], names[:2][-1]))
        shoulder = limb_root_m(model, data, first, last)
        tip = data.oMf[robot.frame_id(arm.tip_frame)].translation
        reaches.append(float(np.linalg.norm(tip - shoulder)))
    return _ratio(min(reaches), PAPER_REACH_M)


def _ratio(value: float, papers: float) -> float:
    return round(float(value) / papers, 2)
