"""The truth about a robot and its loads, at any configuration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.frame_names import frame_index
from wbmpc.ocp.target import sole_placements
from wbmpc.plant.interface import Payload
from wbmpc.reference import UPPER_BODY
from wbmpc.robot import Robot


class GroundTruth:
    """The truth about the robot and its loads, for metrics.

    Without a simulator nobody knows links and loads: they are NaN, and so is what
    follows from them.
    """

    def __init__(
        self, robot: Robot, true_model: pin.Model | None, offset_m: Any = (0, 0, 0)
    ) -> None:
        """Precompute frames and inertias, nominal and true ones.

        Args:
            robot: Robot description.
            true_model: `Robot.full_model` with the plant's own inertias; None if nobody
                knows them.
            offset_m: (3,) centre of a load from its tip, in the forearm's link axes.
        """
        self._offset_m = np.asarray(offset_m, dtype=np.float64)
        self._robot, self.is_known = robot, true_model is not None
        self._model = robot.full_model if true_model is None else true_model
        # Links as the controller has them: with what is locked to them.
        self._links = robot.lock(self._model)
        self._data = self._model.createData()
        self.mass_kg = float(pin.computeTotalMass(self._model))
        feet = list(sole_placements(robot, robot.home_q).values())
        self._midfoot = pin.SE3.Interpolate(feet[0], feet[1], 0.5)
        self._root = frame_index(self._model, robot.settings.root_link)
        self._tips = {
            s: frame_index(self._model, a.tip_frame) for s, a in robot.arms.items()
        }
        self._torso = _shoulder_link_joint(robot)
        self._upper = robot.joints_full(*UPPER_BODY)
        self.nominal = {
            side: robot.model.inertias[robot.link_joint(arm.link)].toDynamicParameters()
            for side, arm in robot.arms.items()
        }
        self._bare = {
            side: self._bare_link(arm.link) for side, arm in robot.arms.items()
        }

    def parameters(self, side: str, mass_kg: float) -> Array:
        """(10,) link with its load, about the link's joint frame."""
        if not self.is_known:
            return np.full(10, np.nan)
        if mass_kg == 0.0:
            return self._bare[side]
        sphere = pin.Inertia.FromSphere(mass_kg, Payload(mass_kg=mass_kg).radius_m)
        tip = frame_index(self._links, self._robot.arms[side].tip_frame)
        place = self._links.frames[tip].placement.translation + self._offset_m
        held = pin.SE3(np.eye(3), place).act(sphere)
        return self._bare[side] + held.toDynamicParameters()

    def _bare_link(self, link: str) -> Array:
        """(10,) true link without load."""
        joint = self._robot.link_joint(link)
        parameters: Array = self._links.inertias[joint].toDynamicParameters()
        return parameters

    def kinematics(
        self, q: Array, q_upper_ref: Array, loads: Array
    ) -> dict[str, Array]:
        """Centre of mass, pelvis and tips at a configuration."""
        model, data = self._model, self._data
        q_ref = q.copy()
        q_ref[7 + self._upper] = q_upper_ref
        pin.framesForwardKinematics(model, data, q_ref)
        torso = data.oMi[self._torso].copy()
        out = {
            f"{side}_reference": torso.actInv(data.oMf[tip].translation)
            for side, tip in self._tips.items()
        }
        moment = self.mass_kg * pin.centerOfMass(model, data, q)
        pin.framesForwardKinematics(model, data, q)
        torso = data.oMi[self._torso].copy()
        for (side, tip), load in zip(self._tips.items(), loads, strict=True):
            position = data.oMf[tip].translation.copy()
            link = data.oMi[model.frames[tip].parentJoint].rotation
            moment = moment + load * (position + link @ self._offset_m)
            out[f"{side}_world"] = position
            out[f"{side}_torso"] = torso.actInv(position)
        com = moment / (self.mass_kg + sum(loads))
        out["com_m"] = self._midfoot.actInv(com)
        out["pelvis_m"] = self._midfoot.actInv(data.oMf[self._root].translation)
        return out


def _shoulder_link_joint(robot: Robot) -> int:
    """Joint of the link that carries the arms."""
    first = robot.settings.groups.left_arm[0]
    model = robot.full_model
    return int(model.parents[model.getJointId(first)])
