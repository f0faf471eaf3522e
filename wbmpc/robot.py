"""The robot: the one place that knows joint order, groups, frames and both models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from models.arrays import Array
from models.catalogue import settings_path
from models.frame_names import frame_index, lock_joints
from models.settings import ArmSettings, BodySettings, SoleSettings
from wbmpc.errors import DimensionError, SettingError, UnknownNameError
from wbmpc.friction import JointFriction
from wbmpc.settings import RobotSettings, load_settings

BASE = 6
"""Velocity degrees of freedom of the floating base."""


class Robot:
    """Rigid-body models of a robot with its settings.

    Two models share every joint but the locked ones: `full_model` is the plant's robot,
    `model` the controller's, in which neck and locked joints stay at their home angles
    (paper, section IV). Both start with a free-flyer joint, so that
    q = [x y z | quaternion xyzw | joints] and v = [base linear, base angular, joints],
    the base twist in the base frame.

    Attributes:
        settings: The robot's typed settings.
        source: File of the settings, for messages; empty if there is none.
        full_model: All joints but the welded ones.
        model: The controller's joints.
        joint_names: Actuated joints of `full_model`, in its order.
        controlled_joints: Actuated joints of `model`, in its order.
        friction: What is known of their friction on the real robot; may be nothing.
    """

    def __init__(self, settings: RobotSettings, source: str = "") -> None:
        """Build both models and check every name the settings use.

        Raises:
            RobotError: The URDF is missing or has errors.
            SettingError: A setting does not fit it.
            UnknownNameError: The settings name a joint or frame that is not there.
        """
        self.settings, self.source = settings, source
        self.urdf_path = Path(settings.urdf)
        self.full_model = _load(settings)
        _add_frames(self.full_model, settings)
        self.joint_names = tuple(self.full_model.names[2:])
        self._check_names()
        self.full_model.armature = self._armature()
        self._check_home()
        self.home_q_full = self._home_configuration()
        self.model = self.lock(self.full_model)
        self._check_pairs()
        self.controlled_joints = tuple(self.model.names[2:])
        self._controlled = np.array(
            [self.joint_names.index(name) for name in self.controlled_joints]
        )
        self.home_q = self.controlled_q(self.home_q_full)
        self.friction = JointFriction.of(
            settings.joint_friction, self.controlled_joints, self.torque_limits_Nm
        )

    @classmethod
    def load(cls, name: str, overrides: tuple[str, ...] = ()) -> Robot:
        """Build a shipped robot by name, or any robot from its settings file.

        Raises:
            SettingsError: The settings are wrong, or do not fit the URDF.
            RobotError: The URDF is missing or has errors.
            UnknownNameError: No such robot, or a name that is not in its URDF.
        """
        settings, source = load_settings(name, overrides), str(settings_path(name))
        try:
            return cls(settings, source)
        except (SettingError, UnknownNameError) as error:
            raise error.inside(source) from None

    @classmethod
    def from_urdf(cls, path: str | Path) -> Robot:
        """Build a humanoid with the settings that `wbmpc init` proposes for it.

        Raises:
            RobotError: The URDF is missing or has errors.
            ProposalError: It is no humanoid, or no pose was found in which it stands.
        """
        from models.proposal import SHIPPED, propose
        from wbmpc.robot_model import load_humanoid

        model, description = load_humanoid(Path(path))
        return cls(propose(model, description, load_settings(SHIPPED)).settings)

    @property
    def soles(self) -> tuple[SoleSettings, SoleSettings]:
        """Left and right sole."""
        return self.settings.left_sole, self.settings.right_sole

    @property
    def arms(self) -> dict[str, ArmSettings]:
        """Left and right arm by side."""
        return {"left": self.settings.left, "right": self.settings.right}

    @property
    def torque_limits_full_Nm(self) -> Array:
        """Effort limits in the order of `joint_names`."""
        return np.array(self.full_model.upperEffortLimit[BASE:])

    @property
    def torque_limits_Nm(self) -> Array:
        """Effort limits in the order of `controlled_joints`."""
        return self.torque_limits_full_Nm[self._controlled]

    def lock(self, full_model: pin.Model) -> pin.Model:
        """Hold neck and locked joints at home in a model with all joints."""
        groups = self.settings.groups
        ids = [full_model.getJointId(n) for n in groups.neck + groups.locked]
        return lock_joints(full_model, ids, self.home_q_full)

    def controlled_q(self, q_full: Array) -> Array:
        """Drop the locked joints from a configuration.

        Raises:
            DimensionError: Not (nq,) of `full_model`.
        """
        check_length("q_full", q_full, self.full_model.nq)
        return np.concatenate([q_full[:7], q_full[7:][self._controlled]])

    def controlled_v(self, v_full: Array) -> Array:
        """Drop the locked joints from a velocity.

        Raises:
            DimensionError: Not (nv,) of `full_model`.
        """
        check_length("v_full", v_full, self.full_model.nv)
        return np.concatenate([v_full[:BASE], v_full[BASE:][self._controlled]])

    def controlled_tau(self, tau_full_Nm: Array) -> Array:
        """Drop the locked joints from joint torques.

        Raises:
            DimensionError: Not one torque per joint of `joint_names`.
        """
        check_length("tau_full_Nm", tau_full_Nm, len(self.joint_names))
        return tau_full_Nm[self._controlled]

    def full_tau(self, tau_Nm: Array, rest_Nm: Array) -> Array:
        """Joint torques of all joints: `tau_Nm` where controlled, `rest_Nm` elsewhere.

        Args:
            tau_Nm: In the order of `controlled_joints`.
            rest_Nm: In the order of `joint_names`; its controlled entries are ignored.
        """
        full = rest_Nm.copy()
        full[self._controlled] = tau_Nm
        return full

    def joints(self, *groups: str) -> NDArray[np.intp]:
        """Indices into `controlled_joints` of one or more groups, in group order.

        Raises:
            UnknownNameError: No such group.
        """
        return self._indices(self.controlled_joints, groups)

    def joints_full(self, *groups: str) -> NDArray[np.intp]:
        """Indices into `joint_names` of one or more groups, in group order."""
        return self._indices(self.joint_names, groups)

    def frame_id(self, name: str) -> int:
        """Index of a frame of `model`.

        Raises:
            UnknownNameError: No such frame; asking Crocoddyl for it would crash.
        """
        if not self.model.existFrame(name):
            raise UnknownNameError("frame", name, (f.name for f in self.model.frames))
        return frame_index(self.model, name)

    def link_joint(self, link: str) -> int:
        """Index in `model` of the joint that carries a link, hence of its inertia."""
        return int(self.model.frames[self.frame_id(link)].parentJoint)

    def _indices(
        self, names: tuple[str, ...], groups: tuple[str, ...]
    ) -> NDArray[np.intp]:
        table = {
            field: getattr(self.settings.groups, field)
            for field in self.settings.groups.__struct_fields__
            if field != "welded"
        }
        for group in groups:
            if group not in table:
                raise UnknownNameError("joint group", group, table)
        return np.array([names.index(n) for g in groups for n in table[g]], dtype=int)

    def _check_names(self) -> None:
        groups = self.settings.groups
        fields = [f for f in groups.__struct_fields__ if f != "welded"]
        grouped = [n for field in fields for n in getattr(groups, field)]
        for place, name in self._named_joints(fields):
            if name not in self.joint_names:
                raise UnknownNameError("joint", name, self.joint_names, place)
        missing = sorted(set(self.joint_names) - set(grouped))
        twice = sorted(name for name, count in Counter(grouped).items() if count > 1)
        if missing or twice:
            told = f"not in any: {', '.join(missing)}" if missing else ""
            told = told or f"in more than one place: {', '.join(twice)}"
            rule = f"every joint must be in one group, once; {told}"
            raise SettingError("groups", None, rule)
        for place, name in self._named_frames():
            if not self.full_model.existFrame(name):
                choices = (f.name for f in self.full_model.frames)
                raise UnknownNameError("frame", name, choices, place)

    def _named_joints(self, groups: list[str]) -> Iterator[tuple[str, str]]:
        """Key and name of every joint that the settings name."""
        settings = self.settings
        for group in groups:
            for name in getattr(settings.groups, group):
                yield f"groups.{group}", name
        yield from (("plant.armature_kgm2", n) for n in settings.plant.armature_kgm2)
        yield from (("low_level.joints", n) for n in settings.low_level.joints)
        poses = {f"poses.{key}": pose for key, pose in settings.poses.items()}
        for place, pose in {"home": settings.home, **poses}.items():
            welded = settings.groups.welded
            yield from ((place, n) for n in pose if n not in welded)

    def _named_frames(self) -> Iterator[tuple[str, str]]:
        """Key and name of every frame that the settings name."""
        settings = self.settings
        yield "left_sole.frame", settings.left_sole.frame
        yield "right_sole.frame", settings.right_sole.frame
        yield "root_link", settings.root_link
        for side, arm in self.arms.items():
            yield f"{side}.link", arm.link
            yield f"{side}.tip_frame", arm.tip_frame

    def _check_home(self) -> None:
        """Home angles, those of welded joints apart, within their joints' limits."""
        low, high = (
            limits[7:]
            for limits in (
                self.full_model.lowerPositionLimit,
                self.full_model.upperPositionLimit,
            )
        )
        for index, name in enumerate(self.joint_names):
            angle = self.settings.home.get(name, 0.0)
            if not low[index] - 1e-6 <= angle <= high[index] + 1e-6:
                limits = f"{low[index]:g} and {high[index]:g}"
                rule = f"must be within the joint's limits {limits}"
                raise SettingError(f"home.{name}", angle, rule)

    def _check_pairs(self) -> None:
        """Two soles, and two arms whose tip hangs on a moving link of their own."""
        left, right = (sole.frame for sole in self.soles)
        if left == right:
            rule = "left_sole and right_sole must be different frames"
            raise SettingError("right_sole.frame", right, rule)
        for side, arm in self.arms.items():
            link, tip = (self._carrier(n) for n in (arm.link, arm.tip_frame))
            own = getattr(self.settings.groups, f"{side}_arm")
            if link != tip or link not in own:
                rule = (
                    f"moves with joint {link!r} and tip_frame {arm.tip_frame!r} with "
                    f"{tip!r}; both must move with the same joint of "
                    f"groups.{side}_arm"
                )
                raise SettingError(f"{side}.link", arm.link, rule)

    def _carrier(self, frame: str) -> str:
        """Name of the controller's joint that moves a frame."""
        return str(self.model.names[self.link_joint(frame)])

    def _armature(self) -> Array:
        armature = np.zeros(self.full_model.nv)
        for name, value in self.settings.plant.armature_kgm2.items():
            armature[BASE + self.joint_names.index(name)] = value
        return armature

    def _home_configuration(self) -> Array:
        """Home joint angles with the soles' midpoint at the origin of the floor."""
        q = pin.neutral(self.full_model)
        for name, angle in self.settings.home.items():
            if name in self.joint_names:
                q[7 + self.joint_names.index(name)] = angle
        data = self.full_model.createData()
        pin.framesForwardKinematics(self.full_model, data, q)
        feet = [data.oMf[frame_index(self.full_model, s.frame)] for s in self.soles]
        q[:3] -= np.mean([foot.translation for foot in feet], axis=0)
        return q


def _load(settings: BodySettings) -> pin.Model:
    """The model of the URDF, with the welded joints fixed at their home angles."""
    # Only who builds a robot needs what reads and checks robot files.
    from wbmpc.robot_model import load_floating

    welded = {n: settings.home.get(n, 0.0) for n in settings.groups.welded}
    return load_floating(Path(settings.urdf), welded, settings.root_link)


def _add_frames(model: pin.Model, settings: BodySettings) -> None:
    """Add the settings' own frames, without inertia."""
    links = [f.name for f in model.frames if f.type == pin.FrameType.BODY]
    for name, frame in settings.frames.items():
        if model.existFrame(name):
            raise SettingError(
                f"frames.{name}", None, "the URDF has a frame of this name"
            )
        if frame.parent not in links:
            place = f"frames.{name}.parent"
            raise UnknownNameError("link", frame.parent, links, place)
        index = model.getFrameId(frame.parent, pin.FrameType.BODY)
        parent, rotation = model.frames[index], pin.rpy.rpyToMatrix(*frame.rpy_rad)
        placement = parent.placement * pin.SE3(rotation, np.array(frame.position_m))
        kind = pin.FrameType.OP_FRAME
        model.addFrame(
            pin.Frame(name, parent.parentJoint, index, placement, kind), False
        )


def check_length(name: str, vector: Array, length: int) -> None:
    """Refuse a vector of another length, such as a velocity for a configuration.

    Raises:
        DimensionError: Names the vector and both lengths.
    """
    if np.shape(vector) != (length,):
        raise DimensionError(
            f"{name} has shape {np.shape(vector)}, must be ({length},)"
        )
