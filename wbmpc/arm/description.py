"""The arm: joint order, rigid-body models with and without payload, end effector."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.installed import installed_urdf
from models.so101 import So101Settings, load_so101
from wbmpc.conventions import xyzw_from_wxyz
from wbmpc.errors import PayloadError, RobotError, UnknownNameError

TIP = "tip"
"""Frame of the payload and of the end effector."""
MAX_PAYLOAD_KG = 5.0
"""More than this and the motors lift nothing any more, whatever the controller does."""


class Arm:
    """Rigid-body models of the SO-101 and its settings.

    Attributes:
        settings: The typed settings.
        joint_names: All joints, gripper last, in the order of every vector here.
        model: The arm with its camera mount and without payload; has the frame `TIP`.
        torque_limits_Nm: (n,) limits of the motors.
    """

    def __init__(self, settings: So101Settings) -> None:
        """Build the model.

        Raises:
            SettingsError: The package with the URDF is not installed.
            RobotError: The URDF cannot be read, or is that of another arm.
            UnknownNameError: The settings name a joint that is not there.
        """
        self.settings = settings
        self.model = _load_urdf(settings.urdf)
        self.joint_names = tuple(self.model.names[1:])
        for name in (*settings.joints, settings.tip_joint):
            if name not in self.joint_names:
                raise UnknownNameError("joint", name, self.joint_names)
        if self.joint_names != settings.joints:
            raise RobotError(
                f"{settings.urdf}: joints {', '.join(self.joint_names)}; the settings "
                f"expect {', '.join(settings.joints)}"
            )
        self.tip_joint = int(self.model.getJointId(settings.tip_joint))
        self.model.inertias[self.tip_joint] += mount_inertia(settings)
        self.model.armature = np.full(self.model.nv, settings.plant.armature_kgm2)
        self.tip_placement = _tip_placement(settings)
        frame = pin.Frame(
            TIP, self.tip_joint, self.tip_placement, pin.FrameType.OP_FRAME
        )
        self.model.addFrame(frame, False)
        self.torque_limits_Nm = np.full(self.model.nv, settings.plant.torque_limit_Nm)
        self._data = self.model.createData()

    @classmethod
    def load(cls) -> Arm:
        """The arm with its shipped settings."""
        return cls(load_so101())

    @property
    def arm_joints(self) -> slice:
        """The joints of the arm, without the gripper."""
        return slice(0, self.settings.arm_joints)

    def loaded_model(self, payload_kg: float) -> pin.Model:
        """The model with a payload: the box of the settings, of that mass.

        Raises:
            PayloadError: The mass is negative, not finite or beyond 5 kg.
        """
        model = self.model.copy()
        if check_payload_mass(payload_kg) > 0.0:
            box = self.tip_placement.act(payload_inertia(self.settings, payload_kg))
            model.inertias[self.tip_joint] += box
        return model

    def tip_position_m(self, q: Array) -> Array:
        """(3,) end effector in base axes."""
        pin.forwardKinematics(self.model, self._data, q)
        placement = self._data.oMi[self.tip_joint] * self.tip_placement
        return np.array(placement.translation)


def payload_inertia(settings: So101Settings, payload_kg: float) -> pin.Inertia:
    """Inertia of the box in its own frame, centred at it."""
    return pin.Inertia.FromBox(payload_kg, *settings.payload.size_m)


def mount_inertia(settings: So101Settings) -> pin.Inertia:
    """Inertia of the camera mount in the frame of the gripper body."""
    mount = settings.mount
    axes = pin.rpy.rpyToMatrix(*mount.principal_axes_rpy_rad)
    about_com = axes @ np.diag(mount.principal_inertia_kgm2) @ axes.T
    return pin.Inertia(mount.mass_kg, np.array(mount.com_m), about_com)


def check_payload_mass(payload_kg: float) -> float:
    """A payload mass the arm's plants accept.

    Raises:
        PayloadError: It is negative, not finite or beyond 5 kg.
    """
    if not (math.isfinite(payload_kg) and 0.0 <= payload_kg <= MAX_PAYLOAD_KG):
        raise PayloadError(
            f"payload {payload_kg} kg: must be finite and within 0 and "
            f"{MAX_PAYLOAD_KG:g} kg"
        )
    return payload_kg


def _load_urdf(name: str) -> pin.Model:
    path = installed_urdf(name)
    try:
        return pin.buildModelFromUrdf(str(path))
    except (ValueError, RuntimeError) as error:
        raise RobotError(f"{path}: not a usable URDF: {error}") from None


def _tip_placement(settings: So101Settings) -> pin.SE3:
    box = settings.payload
    quaternion = pin.Quaternion(xyzw_from_wxyz(np.array(box.quaternion_wxyz)))
    quaternion.normalize()
    return pin.SE3(quaternion.toRotationMatrix(), np.array(box.position_m))
