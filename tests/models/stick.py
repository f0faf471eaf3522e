"""A biped of 20 kg with 21 joints as a robot file, one thing odd at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from models.proposal import SHIPPED, Proposal, propose
from wbmpc.robot_model import load_humanoid
from wbmpc.settings import RobotSettings, load_settings

BOX = '<geometry><box size="0.22 0.1 0.03"/></geometry>'
SOLE = '<origin xyz="0.03 0 -0.05"/>'
FOOT = f"<collision>{SOLE}{BOX}</collision>"


@dataclass(frozen=True, kw_only=True)
class Stick:
    """What may be odd.

    Attributes:
        root: `pelvis` or `torso`: where the file begins.
        shoulder_y_m: Of the first shoulder joint's origin, which turns about y; the arm
            stays where it is.
        hip_x_m: Of the first hip joint's origin, which turns about x.
        turn_rad: Of the whole robot about the root link's axes, roll pitch yaw.
        foot: Shapes of a foot.
        names: Other names of links or joints.
        replace: Text exchanged at last, once each.
    """

    root: str = "pelvis"
    shoulder_y_m: float = 0.18
    hip_x_m: float = 0.0
    turn_rad: str = "0 0 0"
    foot: str = FOOT
    names: dict[str, str] = field(default_factory=dict)
    replace: tuple[tuple[str, str], ...] = ()

    def text(self) -> str:
        """The robot file."""
        parts = [*self._trunk(), *self._limbs(1.0, "l"), *self._limbs(-1.0, "r")]
        text = '<robot name="stick">\n' + "\n".join(parts) + "\n</robot>\n"
        for old, new in self.names.items():
            text = text.replace(f'joint name="{old}"', f'joint name="{new}"')
        for old, new in self.replace:
            assert old in text, old
            text = text.replace(old, new, 1)
        return text

    def _trunk(self) -> list[str]:
        pelvis = _link("pelvis", 7.0, (0.16, 0.26, 0.12))
        torso = _link("torso", 14.0, (0.16, 0.3, 0.4), center="0 0 0.2")
        if self.root == "pelvis":
            waist = _joint("waist", "pelvis", "torso", "0 0 0.08", "0 0 1", 90.0)
            parts = [pelvis, torso, waist]
        else:
            waist = _joint("waist", "torso", "pelvis", "0 0 -0.08", "0 0 1", 90.0)
            parts = [torso, pelvis, waist]
        if self.turn_rad == "0 0 0":
            return parts
        turned = (
            f'<joint name="turn" type="fixed"><parent link="base"/>'
            f'<child link="{self.root}"/><origin rpy="{self.turn_rad}"/></joint>'
        )
        return ['<link name="base"/>', *parts, turned]

    def _limbs(self, side: float, s: str) -> list[str]:
        ahead = -self.hip_x_m
        out = side * (0.18 - self.shoulder_y_m)
        reach = ("-0.4", "2.0") if side > 0.0 else ("-2.0", "0.4")
        leg = [
            (
                "hip_x",
                f"{self.hip_x_m} {0.1 * side} -0.06",
                "1 0 0",
                120.0,
                1.0,
                f"{ahead} 0 0",
            ),
            ("hip_z", f"{ahead} 0 -0.03", "0 0 1", 90.0, 1.0, "0 0 0"),
            ("hip_y", "0 0 -0.03", "0 1 0", 150.0, 4.0, "0 0 -0.17"),
            ("knee", "0 0 -0.34", "0 1 0", 160.0, 2.6, "0 0 -0.16"),
            ("ankle_y", "0 0 -0.34", "0 1 0", 100.0, 0.3, "0 0 0"),
            ("ankle_x", "0 0 0", "1 0 0", 60.0, 0.9, "0.03 0 -0.05"),
        ]
        arm = [
            (
                "sho_y",
                f"0 {side * self.shoulder_y_m} 0.36",
                "0 1 0",
                70.0,
                0.9,
                f"0 {out} 0",
            ),
            ("sho_x", f"0 {out} 0", "1 0 0", 70.0, 0.9, "0 0 -0.03"),
            ("sho_z", "0 0 -0.1", "0 0 1", 50.0, 1.4, "0 0 -0.09"),
            ("elbow", "0 0 -0.2", "0 1 0", 50.0, 1.2, "0 0 -0.15"),
        ]
        ranges = {
            "hip_x": ("-0.5", "0.5"),
            "hip_z": ("-0.8", "0.8"),
            "hip_y": ("-1.8", "0.8"),
            "knee": ("0", "2.3"),
            "ankle_y": ("-1.0", "0.7"),
            "ankle_x": ("-0.5", "0.5"),
            "sho_y": ("-2.8", "2.0"),
            "sho_x": reach,
            "sho_z": ("-1.6", "1.6"),
            "elbow": ("-2.4", "0.1"),
        }
        parts = []
        for limb, start in ((leg, "pelvis"), (arm, "torso")):
            parent = start
            for name, origin, axis, effort, mass, center in limb:
                link, shapes = f"{s}_{name}_link", ""
                if name == "ankle_x":
                    shapes = self.foot
                elif name == "elbow":
                    shapes = f'<collision><origin xyz="{center}"/>' + _FOREARM
                size = (0.08, 0.08, 0.3 if mass > 1.0 else 0.08)
                parts.append(_link(link, mass, size, center=center, shapes=shapes))
                parts.append(
                    _joint(
                        f"{s}_{name}", parent, link, origin, axis, effort, ranges[name]
                    )
                )
                parent = link
        return parts


_FOREARM = '<geometry><box size="0.06 0.06 0.3"/></geometry></collision>'


def _link(
    name: str,
    mass: float,
    size: tuple[float, float, float],
    *,
    center: str = "0 0 0",
    shapes: str = "",
) -> str:
    """A box of even density."""
    x, y, z = (mass * s * s / 12.0 for s in size)
    return (
        f'<link name="{name}"><inertial><origin xyz="{center}"/>'
        f'<mass value="{mass}"/><inertia ixx="{y + z}" ixy="0" ixz="0" '
        f'iyy="{x + z}" iyz="0" izz="{x + y}"/></inertial>{shapes}</link>'
    )


def _joint(
    name: str,
    parent: str,
    child: str,
    origin: str,
    axis: str,
    effort: float,
    limits: tuple[str, str] = ("-1.2", "1.2"),
) -> str:
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/>'
        f'<child link="{child}"/><origin xyz="{origin}"/><axis xyz="{axis}"/>'
        f'<limit lower="{limits[0]}" upper="{limits[1]}" effort="{effort}" '
        f'velocity="12"/></joint>'
    )


def proposed(
    stick: Stick, folder: Path, meshes: tuple[Path, ...] = ()
) -> Proposal[RobotSettings]:
    """What `init` makes of a robot."""
    path = folder / "stick.urdf"
    path.write_text(stick.text(), encoding="utf-8")
    model, description = load_humanoid(path)
    return propose(model, description, load_settings(SHIPPED), meshes=meshes)
