"""A proposal as a settings file in which every field says its unit and its reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from models.proposal.propose import Proposal
from models.setting_types import Settings
from models.settings import (
    ArmSettings,
    BodySettings,
    GroupSettings,
    JointGains,
    SoleSettings,
)

_WIDTH = 88

_GROUPS = {
    "left_leg": "the mirrored pair on the root link that ends lowest, hip to ankle",
    "right_leg": "",
    "spine": "between the root link and the shoulders",
    "left_arm": "the heaviest mirrored pair on the trunk, moved by the controller",
    "right_arm": "",
    "neck": "the rest of the trunk: held at home by a PD, locked for the controller",
    "locked": "wrists: held at home by a PD, locked for the controller",
    "welded": "no joints at all: fingers, what has no mass, no effort limit or no room",
}
_FRAMES = {
    "left_sole": "middle of the touching rectangle, x forward, z up out of the floor",
    "right_sole": "",
    "left_tip": "where a load is held; z along the forearm",
    "right_tip": "",
}


def settings_text(proposal: Proposal[Any], urdf: str, name: str) -> str:
    """TOML text of a proposal.

    Args:
        proposal: What was found.
        urdf: How the file refers to the URDF.
        name: Name of the robot in results.
    """
    settings = proposal.settings
    return "\n".join(
        [
            *_head(proposal, urdf, name),
            *_groups(settings.groups),
            *_frames(settings),
            *_soles_and_arms(settings),
            *_poses(settings, proposal),
            *_plant(settings),
            *_low_level(settings),
            *_control(settings),
            "",
        ]
    )


def _head(proposal: Proposal[Any], urdf: str, name: str) -> list[str]:
    scale, stance = proposal.scale, proposal.stance
    return [
        *_comment(
            f"Proposed by `wbmpc init`: {proposal.mass_kg:.1f} kg, centre of mass "
            f"{stance.com_height_m:.3f} m above the soles, arms "
            f"{proposal.arm_m:.2f} m. Weights and gains are those of the shipped "
            f"robot, scaled by mass "
            f"(x {scale.mass:.2f}) and length (x {scale.length:.2f}) under dynamic "
            f"similarity. Units: m, rad, kg, N, Nm, s. Change what you like; unknown "
            f"keys are refused."
        ),
        "",
        f"name = {_value(name)}  # in results",
        f"urdf = {_value(urdf)}  # beside this file, a path, or an installed robot",
        f"root_link = {_value(proposal.settings.root_link)}  # carries the free joint",
    ]


def _groups(groups: GroupSettings) -> list[str]:
    lines = _section("groups", "Joint names, root to tip, found in the kinematic tree.")
    for name, why in _GROUPS.items():
        lines += _field(name, getattr(groups, name), why)
    return lines


def _frames(settings: BodySettings) -> list[str]:
    lines: list[str] = []
    for name, frame in settings.frames.items():
        lines += _section(f"frames.{name}", _FRAMES[name.rstrip("_")])
        lines += _field("parent", frame.parent, "link it is fixed to")
        lines += _field("position_m", frame.position_m, "in the link's frame [m]")
        lines += _field("rpy_rad", frame.rpy_rad, "about its fixed axes [rad]")
    return lines


def _soles_and_arms(settings: BodySettings) -> list[str]:
    lines: list[str] = []
    for name in ("left_sole", "right_sole"):
        sole: SoleSettings = getattr(settings, name)
        lines += _section(name, "From the lowest 5 mm of the foot's shape.")
        lines += _field("frame", sole.frame, "")
        lines += _field("half_length_m", sole.half_length_m, "forward [m]")
        lines += _field("half_width_m", sole.half_width_m, "sideways [m]")
    for name in ("left", "right"):
        arm: ArmSettings = getattr(settings, name)
        lines += _section(name, "What carries a load.")
        lines += _field("link", arm.link, "estimated: the last link that is moved")
        lines += _field("tip_frame", arm.tip_frame, "where the load is held")
    return lines


def _poses(settings: BodySettings, proposal: Proposal[Any]) -> list[str]:
    stance = proposal.stance
    lines = _section(
        "home",
        f"Joint angles [rad], others 0. Feet flat, centre of mass over the middle of "
        f"the soles, knees bent by {stance.knee_rad:g} rad, hands where the shipped "
        f"robot has them in arm lengths. Standing takes "
        f"{100 * stance.torque_share:.0f} % of the effort limit of {stance.busiest}, "
        f"less of every other leg joint's.",
    )
    lines += _table(settings.home)
    for name, pose in settings.poses.items():
        lines += _section(
            f"poses.{name}",
            "Spine and arm angles [rad]; the shipped robot's, by reach.",
        )
        lines += _table(pose)
    return lines


def _plant(settings: BodySettings) -> list[str]:
    plant = settings.plant
    lines = _section("plant", "Physics of the simulator that no URDF carries.")
    lines += _field("friction", plant.friction, "of soles on the floor; an assumption")
    lines += _field(
        "joint_damping_Nms_per_rad",
        plant.joint_damping_Nms_per_rad,
        "[Nm s/rad]; an assumption",
    )
    lines += _field(
        "joint_friction_Nm", plant.joint_friction_Nm, "dry [Nm]; an assumption"
    )
    lines += _section(
        "plant.armature_kgm2",
        "Reflected rotor inertia [kg m^2], of plant and controller: the installed "
        "robot's rotors where its files tell them, else 3e-5 kg m^2 per Nm of effort "
        "limit, an assumption; take the motors' data where you have them.",
    )
    return lines + _table(plant.armature_kgm2)


def _low_level(settings: BodySettings) -> list[str]:
    low = settings.low_level
    lines = _section(
        "low_level",
        "Joint PD around the plan at 1 kHz [Nm/rad, Nm s/rad]: the shipped robot's, "
        "stiffness times mass and length, damping times a time more.",
    )
    for name in ("legs", "spine", "arms", "neck", "locked"):
        lines += _field(name, _gains(getattr(low, name)), "")
    if low.joints:
        lines += _section(
            "low_level.joints",
            "Less for joints that move too little inertia to be damped like their "
            "group within 1 ms, or that are too weak for its stiffness.",
        )
        lines += _table({name: _gains(gains) for name, gains in low.joints.items()})
    return lines


def _control(settings: BodySettings) -> list[str]:
    """What there is besides the body, told by the settings themselves."""
    lines: list[str] = []
    for name, part in msgspec.structs.asdict(settings).items():
        if name not in BodySettings.__struct_fields__:
            lines += _part(name, part)
    return lines


def _part(name: str, settings: Settings) -> list[str]:
    """A section of the keys that are not at their defaults, then its parts."""
    lines, parts = [], []
    for field in msgspec.structs.fields(settings):
        key, value = field.name, getattr(settings, field.name)
        if isinstance(value, Settings):
            parts += _part(f"{name}.{key}", value)
        elif key in settings.always_written or value != _default(field):
            lines += _field(key, value, settings.comments.get(key, ""))
    head = _section(name, settings.why) if lines else []
    return [*head, *lines, *parts]


def _default(field: msgspec.structs.FieldInfo) -> Any:
    made = field.default_factory
    return field.default if made is msgspec.NODEFAULT else made()


def _section(name: str, why: str) -> list[str]:
    return ["", *(_comment(why) if why else []), f"[{name}]"]


def _field(name: str, value: Any, why: str) -> list[str]:
    line = f"{name} = {_value(value)}"
    if not why:
        return [line]
    together = f"{line}  # {why}"
    return [together] if len(together) <= _WIDTH else [f"# {why}", line]


def _table(values: Mapping[str, Any]) -> list[str]:
    return [f"{_key(name)} = {_value(value)}" for name, value in values.items()]


def _gains(gains: JointGains) -> dict[str, float]:
    return msgspec.structs.asdict(gains)


def _comment(text: str) -> list[str]:
    lines, line = [], "#"
    for word in text.split():
        if len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = "#"
        line += f" {word}"
    return [*lines, line]


def _key(name: str) -> str:
    bare = name.replace("_", "").replace("-", "")
    return name if bare.isascii() and bare.isalnum() else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return msgspec.json.encode(value).decode()
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items())
        return f"{{ {inside} }}"
    if isinstance(value, Iterable):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)
