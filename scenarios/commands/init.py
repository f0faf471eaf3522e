"""`wbmpc init`."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import tyro

from models.errors import ModelsError, UnwrittenError
from models.files import write_whole
from models.installed import installed_rotor_inertia_kgm2, name_of_installed
from models.lookup import find_urdf
from scenarios.commands.command import Command
from scenarios.commands.doubts import tell_doubts
from scenarios.commands.options import Json, mesh_folders
from scenarios.commands.output import print_result, say
from scenarios.errors import ScenarioError
from scenarios.interrupts import ending_at_once
from scenarios.records.run_folder import check_writable

if TYPE_CHECKING:
    from models.description.reading import Description
    from models.proposal import Proposal
    from scenarios.library.loads.suited_load import ArmStrength, SuitedLoad
    from scenarios.run.robot_fit import SuitedLoads
    from wbmpc.robot import Robot
    from wbmpc.settings import RobotSettings

FILE = "settings.toml"


class Init(Command, frozen=True, kw_only=True):
    """Propose settings for a humanoid from its robot file alone."""

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """URDF file, settings.toml (for its URDF), or name of a known robot."""
    out: Annotated[str, tyro.conf.arg(metavar="FOLDER")]
    """Folder for settings.toml; must not hold one yet."""
    meshes: Annotated[
        tyro.conf.UseAppendAction[tuple[str, ...]],
        tyro.conf.arg(metavar="FOLDER"),
    ] = ()
    """Folder in which packages of package:// meshes are looked for."""
    lock_wrists: bool = False
    """Hold the wrists by a PD, outside the controller; they give way under loads."""
    json: Json = False

    def act(self) -> int:
        """Write a settings file for a robot and say what was found."""
        with ending_at_once():
            from models.proposal import SHIPPED, propose, settings_text
            from scenarios.run.robot_fit import suited_loads
            from wbmpc.robot import Robot
            from wbmpc.robot_model import load_humanoid
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
        meshes = mesh_folders(self.meshes)
        model, description = load_humanoid(urdf)
        proposal = propose(
            model,
            description,
            load_settings(SHIPPED),
            wrists=not self.lock_wrists,
            armature_kgm2=rotors_kgm2,
            meshes=meshes,
        )
        name = _name(description)
        robot = Robot(msgspec.structs.replace(proposal.settings, name=name))
        result = _result(proposal, robot, suited_loads(robot), target)
        printed = print_result(result, _told(result), as_json=self.json)
        reference = installed or _relative(urdf, target)
        _write(target, settings_text(proposal, reference, name))
        tell_doubts(urdf, bodies=True, meshes=meshes)
        say(f"wrote {target}; {_advice(robot, result, target)}")
        return printed


def _advice(robot: Robot, result: InitResult, target: Path) -> str:
    """What to try with the settings, or what keeps them from being used."""
    from scenarios.run.robot_fit import check_fit

    errors = [f for f in check_fit(robot.settings) if f.severity == "error"]
    if errors:
        return f"a run would refuse it: {errors[0].sentence()} (wbmpc check {target})"
    if not result.loads:
        name, reason = next(iter(result.refused.items()))
        return f"no scenario suits it: {name}: {reason} (wbmpc check {target})"
    first = next(iter(result.loads))
    return f"try: wbmpc run {first} --robot {shlex.quote(str(target))}"


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
    """The load each arm can hold in the poses of the first scenario that suits; at home
    and in its own poses if none does."""
    loads: dict[str, SuitedLoad]
    """What a run loads by default, by scenario."""
    refused: dict[str, str]
    """Scenarios that a run refuses, with the reason."""


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
    suited: SuitedLoads,
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
        arms=suited.arms,
        loads=suited.loads,
        refused=suited.refused,
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
    where = f"in {next(iter(result.loads))}" if result.loads else "at home"
    lines += [f"  {s} arm {where}: {a.sentence()}" for s, a in result.arms.items()]
    lines += [f"  {load.sentence(name)}" for name, load in result.loads.items()]
    lines += [f"  {name}: refused: {why}" for name, why in result.refused.items()]
    return "\n".join(lines)
