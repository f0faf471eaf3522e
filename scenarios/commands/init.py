"""`wbmpc init`."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import tyro

from models.description.reading import Description
from models.description.tree import roots
from models.errors import ModelsError, UnwrittenError
from models.files import write_whole
from models.installed import installed_rotor_inertia_kgm2, name_of_installed
from models.lookup import find_urdf
from models.proposal import SHIPPED, Proposal, pelvis_link, propose, settings_text
from scenarios.cli import print_result, say
from scenarios.commands.init_options import Init
from scenarios.errors import ScenarioError
from scenarios.interrupts import ending_at_once
from scenarios.records.run_folder import check_writable

if TYPE_CHECKING:
    from models.description.reading import Description
    from models.proposal import Proposal
    from scenarios.library.loads.suited_load import ArmStrength
    from wbmpc.robot import Robot
    from wbmpc.settings import RobotSettings

FILE = "settings.toml"


class Init(Command, frozen=True, kw_only=True):
    """Propose settings for a humanoid from its robot file alone."""

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """URDF file, settings.toml (for its URDF), or name of a known robot."""
    out: Annotated[str, tyro.conf.arg(metavar="FOLDER")]
    """Folder for settings.toml; must not hold one yet."""
    lock_wrists: bool = False
    """Hold the wrists by a PD, outside the controller; they give way under loads."""
    json: Json = False

    def act(self) -> int:
        """Write a settings file for a robot and say what was found."""
        with ending_at_once():
            from models.proposal import SHIPPED, propose, settings_text
            from scenarios.library.loads.suited_load import arm_strength
            from wbmpc.robot import Robot
            from wbmpc.robot_model import load_any
            from wbmpc.settings import load_settings
        target = Path(self.out) / FILE
        check_writable(target)
        if target.exists():
            raise ScenarioError(
                f"--out {self.out}: {target} exists; choose another folder"
            )
        urdf = find_urdf(self.robot)
        installed = None if urdf == Path(self.robot) else _installed_name(urdf)
        rotors_kgm2 = installed_rotor_inertia_kgm2(installed) if installed else None
        model, description = load_any(urdf)
        proposal = propose(
            model,
            description,
            load_settings(SHIPPED),
            wrists=not self.lock_wrists,
            armature_kgm2=rotors_kgm2,
        )
        name = _name(description)
        robot = Robot(msgspec.structs.replace(proposal.settings, name=name))
        arms = {side: arm_strength(robot, side) for side in robot.arms}
        result = _result(proposal, robot, arms, target)
        printed = print_result(result, _told(result), as_json=self.json)
        reference = installed or _relative(urdf, target)
        _write(target, settings_text(proposal, reference, name))
        say(f"wrote {target}; try: wbmpc run window_washing --robot {target}")
        return printed


class InitResult(msgspec.Struct, frozen=True, kw_only=True):
    """The proposal, and what the robot can do with it."""

    robot: str
    settings: str
    """The file that was written."""
    mass_kg: float
    com_height_m: float
    arm_m: float
    joints: int
    """Moved by the controller."""
    groups: dict[str, list[str]]
    knee_rad: float
    standing_torque_share: float
    """Largest share of an effort limit that standing at home takes."""
    busiest_joint: str
    arms: dict[str, ArmStrength]
    """What each arm can hold in its poses."""


def init_robot(options: Init) -> int:
    """Write a settings file for a robot and say what was found.

    Raises:
        ModelsError: The robot can not be read, is no humanoid, or there is already a
            settings file, or none can be written.
    """
    target = Path(options.out) / FILE
    check_writable(target)
    if target.exists():
        raise ScenarioError(
            f"--out {options.out}: {target} exists; choose another folder"
        )
    urdf = find_urdf(options.robot)
    installed = None if urdf == Path(options.robot) else _installed_name(urdf)
    model, description = load_any(urdf)
    pelvis = pelvis_link(model, description)
    if pelvis != roots(description)[0]:
        model, description = load_any(urdf, pelvis)
    proposal = propose(
        model,
        description,
        load_settings(SHIPPED),
        wrists=not options.lock_wrists,
        armature_kgm2=installed_rotor_inertia_kgm2(installed) if installed else None,
        meshes=[Path(folder) for folder in options.meshes],
    )
    name = _name(description)
    settings = msgspec.structs.replace(proposal.settings, name=name)
    result = _result(proposal, Robot(settings), target)
    reference = installed or _relative(urdf, target)
    printed = print_result(result, _told(result), as_json=options.json)
    _write(target, settings_text(proposal, reference, name))
    say(f"wrote {target}; try: wbmpc run window_washing --robot {target}")
    return printed


def _installed_name(urdf: Path) -> str | None:
    """`example-robot-data:NAME` of a file that was found by name."""
    try:
        return name_of_installed(urdf)
    except ModelsError:
        return None


def _name(description: Description) -> str:
    """Name in the robot file, in letters a folder may have."""
    name = description.source.root.get("name", "") or description.path.stem
    return re.sub(r"[^\w-]+", "_", name).strip("_").lower() or "robot"


def _relative(urdf: Path, target: Path) -> str:
    """Path of the URDF from the settings' folder."""
    return Path(os.path.relpath(urdf.resolve(), target.parent.resolve())).as_posix()


def _write(target: Path, text: str) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, text.encode())
    except OSError as error:
        raise UnwrittenError(f"{target}: cannot be written: {error.strerror}") from None


def _result(
    proposal: Proposal[RobotSettings],
    robot: Robot,
    arms: dict[str, ArmStrength],
    target: Path,
) -> InitResult:
    stance, groups = proposal.stance, msgspec.to_builtins(robot.settings.groups)
    return InitResult(
        robot=robot.settings.name,
        settings=str(target),
        mass_kg=proposal.mass_kg,
        com_height_m=stance.com_height_m,
        arm_m=proposal.arm_m,
        joints=len(robot.controlled_joints),
        groups={name: list(joints) for name, joints in groups.items()},
        knee_rad=stance.knee_rad,
        standing_torque_share=stance.torque_share,
        busiest_joint=stance.busiest,
        arms=arms,
    )


def _told(result: InitResult) -> str:
    lines = [
        f"{result.robot}: {result.mass_kg:.1f} kg, centre of mass "
        f"{result.com_height_m:.3f} m high, arms {result.arm_m:.2f} m, "
        f"{result.joints} joints under control",
        *(f"  {name}: {' '.join(n) or '-'}" for name, n in result.groups.items()),
        f"  standing takes {100 * result.standing_torque_share:.0f} % of the effort "
        f"limit of {result.busiest_joint}",
    ]
    lines += [f"  {side} arm: {a.sentence()}" for side, a in result.arms.items()]
    return "\n".join(lines)
