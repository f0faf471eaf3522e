"""`wbmpc init`."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import tyro

from models.description.check.bodies import check_bodies
from models.description.reading import Description
from models.description.tree import roots
from models.errors import ModelsError, UnwrittenError
from models.files import write_whole
from models.installed import installed_rotor_inertia_kgm2, name_of_installed
from models.lookup import find_urdf
from models.proposal import SHIPPED, Proposal, pelvis_link, propose, settings_text
from scenarios.cli import print_result, say
from scenarios.commands.doubts import tell_doubts
from scenarios.commands.init_options import Init
from scenarios.errors import ScenarioError
from scenarios.library.catalogue import find_scenario, scenario_names
from scenarios.library.loads.suited_load import (
    ArmStrength,
    SuitedLoad,
    arm_strength,
    suited_load,
)
from scenarios.records.run_folder import check_writable
from scenarios.run.robot_fit import check_fit
from wbmpc.robot import Robot
from wbmpc.robot_model import load_any
from wbmpc.settings import RobotSettings, load_settings

FILE = "settings.toml"
SUGGESTED = "window_washing"
"""The first thing to try, if the robot can do it."""


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
    """What each arm can hold in the poses of the first scenario that suits; at home
    and in its own poses if none does."""
    loads: dict[str, SuitedLoad]
    """What a run loads by default, by scenario."""
    refused: dict[str, str]
    """Scenarios that a run refuses, with the reason."""


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
    meshes = [Path(folder) for folder in options.meshes]
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
        meshes=meshes,
    )
    name = _name(description)
    settings = msgspec.structs.replace(proposal.settings, name=name)
    result = _result(proposal, Robot(settings), target)
    reference = installed or _relative(urdf, target)
    printed = print_result(result, _told(result), as_json=options.json)
    _write(target, settings_text(proposal, reference, name))
    tell_doubts(description, [check_bodies], meshes)
    say(f"wrote {target}; {_advice(settings, result, target)}")
    return printed


def _advice(settings: RobotSettings, result: InitResult, target: Path) -> str:
    """What to try with the settings, or what keeps them from being used."""
    errors = [f for f in check_fit(settings) if f.severity == "error"]
    if errors:
        return f"a run would refuse it: {errors[0].sentence()} (wbmpc check {target})"
    if not result.loads:
        name, reason = next(iter(result.refused.items()))
        return f"no scenario suits it: {name}: {reason} (wbmpc check {target})"
    first = next(iter(result.loads))
    return f"try: wbmpc run {first} --robot {shlex.quote(str(target))}"


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
    arms, loads, refused = _strength(robot)
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
        loads=loads,
        refused=refused,
    )


def _strength(
    robot: Robot,
) -> tuple[dict[str, ArmStrength], dict[str, SuitedLoad], dict[str, str]]:
    """What arms hold, loads of the scenarios that suit, and why others do not."""
    arms: dict[str, ArmStrength] = {}
    loads: dict[str, SuitedLoad] = {}
    refused: dict[str, str] = {}
    for name in sorted(scenario_names(), key=lambda name: name != SUGGESTED):
        scenario = find_scenario(name)
        papers = scenario.defaults
        try:
            track = scenario.motion(robot, papers.duration_s)
        except ModelsError as problem:
            refused[name] = str(problem)
            continue
        sides = ("left", "right") if papers.arm == "both" else (papers.arm,)
        loads[name] = suited_load(robot, track, papers.payload_kg, sides)
        if not arms:
            arms = {
                side: suited_load(robot, track, papers.payload_kg, (side,)).strength
                for side in robot.arms
            }
    return (
        arms or {side: arm_strength(robot, side) for side in robot.arms},
        loads,
        refused,
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
