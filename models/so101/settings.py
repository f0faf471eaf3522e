"""Typed settings of the SO-101 and how they are read.

Frozen, and unknown keys are refused. Sizes are SI: m, rad, kg, N, Nm, s.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from models.setting_types import Count, NonNegative, Positive, Settings
from models.toml_file import read_toml, to_struct

_FILE = Path(__file__).with_name("arm.toml")

Vector3 = tuple[float, float, float]
Six = tuple[float, float, float, float, float, float]
Gains = tuple[
    NonNegative, NonNegative, NonNegative, NonNegative, NonNegative, NonNegative
]
PositiveSix = tuple[Positive, Positive, Positive, Positive, Positive, Positive]
Id = Annotated[int, msgspec.Meta(ge=0, le=253)]
Ids = tuple[Id, Id, Id, Id, Id, Id]


class MountSettings(Settings, frozen=True, kw_only=True):
    """A rigid part on the gripper body that the URDF does not have."""

    mass_kg: NonNegative
    com_m: Vector3
    principal_inertia_kgm2: tuple[NonNegative, NonNegative, NonNegative]
    """About the centre of mass."""
    principal_axes_rpy_rad: Vector3
    """Rotation of the principal axes into the gripper body."""


class BoxSettings(Settings, frozen=True, kw_only=True):
    """The payload: a uniform box on the gripper body."""

    size_m: tuple[Positive, Positive, Positive]
    position_m: Vector3
    quaternion_wxyz: tuple[float, float, float, float]
    """Not necessarily of unit norm."""
    template_kg: Positive
    """Mass with which the per-kilogram regressor is computed."""


class ArmPlantSettings(Settings, frozen=True, kw_only=True):
    """Physics of every joint."""

    dt_s: Positive
    """Control period and step of the torque plant."""
    damping_Nms_per_rad: NonNegative
    friction_Nm: NonNegative
    armature_kgm2: NonNegative
    torque_limit_Nm: Positive


class TaskSettings(Settings, frozen=True, kw_only=True):
    """From zero to a target along a minimum-jerk path, then hold."""

    target_rad: Six
    move_s: Positive
    duration_s: Positive
    settled_s: Positive
    """Errors count from here on."""


class JointPdSettings(Settings, frozen=True, kw_only=True):
    """Gains of the joint PD."""

    kp_Nm_per_rad: Gains
    kd_Nms_per_rad: Gains


class ComputedTorqueSettings(Settings, frozen=True, kw_only=True):
    """Acceleration gains, the same for every joint."""

    kp_per_s2: NonNegative
    kd_per_s: NonNegative


class RlsSettings(Settings, frozen=True, kw_only=True):
    """Scalar least squares on the payload mass."""

    forgetting: Annotated[float, msgspec.Meta(gt=0, le=1)]
    initial_variance: Positive
    """[kg^2]"""
    largest_kg: Positive
    """Upper end of the projection; the lower one is zero."""
    excitation: NonNegative
    """Samples whose regressor has a smaller squared norm are skipped [(Nm/kg)^2]."""


class ServoSettings(Settings, frozen=True, kw_only=True):
    """The bus servos and what is believed about them."""

    ids: Ids
    stiffness_Nm_per_rad: PositiveSix
    """What the controller divides torques by; only the elbow's was ever measured."""
    true_stiffness_ratio: PositiveSix
    """What the simulated servos have, over that."""
    largest_lead_rad: Positive
    """Largest position offset that stands for a torque."""
    damping_s: NonNegative
    """Derivative gain of the servo over its stiffness."""
    gearbox_friction_Nm: NonNegative
    """Coulomb friction on top of the plant's."""
    read_s: NonNegative
    """Bus time from the start of a period until all positions are there."""
    write_s: NonNegative
    """Bus time until a command has reached the servos."""
    current_lsb_A: Positive
    gearbox_holds_Nm: Gains
    """Part of a torque that draws no current."""
    current_A_per_Nm: Positive
    current_noise_A: NonNegative
    joint_pd: JointPdSettings
    computed_torque: ComputedTorqueSettings


class StaticSettings(Settings, frozen=True, kw_only=True):
    """How a pose is held to read the current that carries the payload."""

    approach_rad: Positive
    """The pose is approached from this far above and below."""
    approach_joints: tuple[str, ...]
    move_s: Positive
    settle_s: Positive
    samples: Count
    sample_s: Positive


class So101Settings(Settings, frozen=True, kw_only=True):
    """The arm, its task and its servos."""

    name: str
    urdf: str
    """Name of an installed robot, see `models.installed`."""
    joints: tuple[str, str, str, str, str, str]
    arm_joints: Count
    """The first so many joints are the arm; the rest is the gripper."""
    tip_joint: str
    """Joint that carries mount and payload."""
    mount: MountSettings
    payload: BoxSettings
    plant: ArmPlantSettings
    task: TaskSettings
    joint_pd: JointPdSettings
    computed_torque: ComputedTorqueSettings
    rls: RlsSettings
    servo: ServoSettings
    static: StaticSettings


def load_so101(changes: Mapping[str, Mapping[str, Any]] | None = None) -> So101Settings:
    """Read the shipped settings.

    Args:
        changes: Values to replace, by section and key.

    Raises:
        SettingsError: An unknown key, or a value that breaks its rule.
    """
    table = read_toml(_FILE)
    for section, values in (changes or {}).items():
        table[section] = {**table.get(section, {}), **values}
    return to_struct(table, So101Settings, _FILE.name)
