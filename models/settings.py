"""Typed settings of a robot's body: everything its URDF does not say.

Every struct is frozen and refuses unknown keys, so a misspelt weight is an error
and never a silent no-op. Sizes are SI: m, rad, kg, N, Nm, s.
"""

from __future__ import annotations

from models.dimensions import NEWTON_METRE, SECOND
from models.setting_types import NonNegative, Positive, Settings


class FrameSettings(Settings, frozen=True, kw_only=True):
    """A frame that the URDF does not have."""

    parent: str
    """Link it is fixed to."""
    position_m: tuple[float, float, float]
    """Of its origin, in the parent's frame."""
    rpy_rad: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Roll, pitch, yaw about the parent's fixed axes, as in a URDF."""


class SoleSettings(Settings, frozen=True, kw_only=True):
    """A rectangular sole, centred at its frame, z pointing up out of the ground."""

    frame: str
    """Frame at the centre of the sole's bottom face."""
    half_length_m: Positive
    half_width_m: Positive


class ArmSettings(Settings, frozen=True, kw_only=True):
    """The arm that carries a payload: the estimated link and the tip that holds it."""

    link: str
    """Link whose inertia the estimator adapts (the forearm)."""
    tip_frame: str
    """Frame of the payload and of the tracking figures."""


class GroupSettings(Settings, frozen=True, kw_only=True):
    """Joint names of each kinematic sub-chain, root to tip (paper, section III-B)."""

    left_leg: tuple[str, ...]
    right_leg: tuple[str, ...]
    spine: tuple[str, ...]
    left_arm: tuple[str, ...]
    right_arm: tuple[str, ...]
    neck: tuple[str, ...] = ()
    """Locked out of the controller's model, held by a PD in the plant."""
    locked: tuple[str, ...] = ()
    """Treated like the neck: wrists that only have to hold a load, for instance."""
    welded: tuple[str, ...] = ()
    """No joints at all, neither in the controller nor in the plant: fingers."""


class JointGains(Settings, frozen=True, kw_only=True):
    """Joint-space PD gains of one group."""

    dimensions = {
        "kp_Nm_per_rad": NEWTON_METRE,
        "kd_Nms_per_rad": NEWTON_METRE * SECOND,
    }

    kp_Nm_per_rad: NonNegative
    kd_Nms_per_rad: NonNegative


class LowLevelSettings(Settings, frozen=True, kw_only=True):
    """1 kHz joint PD around the plan (paper, section III-D)."""

    legs: JointGains
    spine: JointGains
    arms: JointGains
    neck: JointGains
    locked: JointGains = JointGains(kp_Nm_per_rad=100.0, kd_Nms_per_rad=2.0)
    joints: dict[str, JointGains] = {}
    """Gains of single joints, by name, instead of their group's. A joint that moves
    little inertia oscillates under its group's damping at 1 kHz."""


class PlantSettings(Settings, frozen=True, kw_only=True):
    """Physics the simulator needs and a URDF does not carry."""

    friction: Positive = 0.8
    """Sliding friction coefficient between soles and floor."""
    joint_damping_Nms_per_rad: NonNegative = 0.05
    joint_friction_Nm: NonNegative = 0.01
    urdf_dynamics: bool = False
    """Take damping and friction from the URDF's <dynamics> where a joint has one. The
    controller knows of neither."""
    armature_kgm2: dict[str, NonNegative] = {}
    """Reflected rotor inertia by joint name; used by plant and controller alike."""


class MeasuredFriction(Settings, frozen=True, kw_only=True):
    """Friction of one joint, as identified."""

    coulomb_Nm: NonNegative
    viscous_Nms_per_rad: NonNegative = 0.0


class JointFrictionSettings(Settings, frozen=True, kw_only=True):
    """Known joint friction of the real robot, beyond `PlantSettings`.

    Low level and estimator take it into account where the plant has it; the clean plant
    has none. Zero: nothing is known, nothing is compensated.
    """

    coulomb_share: NonNegative = 0.0
    """Dry friction [share of a joint's effort limit]."""
    viscous_share_s: NonNegative = 0.0
    """Viscous friction [Nms/rad per Nm of effort limit]."""
    smoothing_rad_per_s: Positive = 0.02
    """Below this velocity the direction of motion, hence of dry friction, is unsure:
    its sign is tanh(v / v0). Not below the noise of the measured velocity."""
    joints: dict[str, MeasuredFriction] = {}
    """Of single joints, by name, instead of the shares."""


class BodySettings(Settings, frozen=True, kw_only=True):
    """One robot: names, home pose, joint gains. The URDF holds the rest."""

    name: str
    urdf: str
    """URDF file beside this settings file, a path, or an installed robot, as
    ``example-robot-data:NAME``."""
    root_link: str
    groups: GroupSettings
    frames: dict[str, FrameSettings] = {}
    """Frames to add to those of the URDF, by name."""
    left_sole: SoleSettings
    right_sole: SoleSettings
    left: ArmSettings
    right: ArmSettings
    home: dict[str, float]
    """Joint angles [rad] of the home pose by joint name; others are zero."""
    poses: dict[str, dict[str, float]] = {}
    """Spine and arm angles [rad] by joint name of poses that scenarios ask for; others
    stay at home."""
    plant: PlantSettings
    low_level: LowLevelSettings
    joint_friction: JointFrictionSettings = JointFrictionSettings()
