"""The command `wbmpc`.

Standard output carries results, one JSON object with `--json`; progress and words go to
standard error. Exit codes: 0 done, 1 the run ended badly, 2 bad input, 130 interrupted.
Heavy packages are imported when a command needs them, so that help is quick.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import msgspec
import tyro

from models.errors import ModelsError
from scenarios.commands.check_options import Check
from scenarios.commands.estimators_options import Estimate, Estimators
from scenarios.commands.init_options import Init
from scenarios.commands.option_types import (
    Changes,
    Faults,
    Folder,
    Kilograms,
    RobotName,
    Seconds,
    told,
)
from scenarios.commands.reproduce_options import Reproduce, Seeds, Tipping
from scenarios.commands.robots_options import Robots
from scenarios.commands.so101_options import So101
from scenarios.commands.teleop_options import References, Teleop
from scenarios.interrupts import (
    EXIT_INTERRUPTED,
    comes_from_interrupt,
    ending_at_once,
)
from scenarios.library.catalogue import defaults_text

if TYPE_CHECKING:
    from pathlib import Path

    from scenarios.records.run_folder import RunFolder

PROG = "wbmpc"
EXIT_OK, EXIT_BAD_END, EXIT_BAD_INPUT = 0, 1, 2

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")
"""All but line breaks: some sentences have several lines."""

PriorFlag = Literal["none", "inertia-only", "all"]


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is asked for; shared by `run` and `compare`."""

    scenario: Annotated[
        str,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="SCENARIO", help=f"One of these: {defaults_text()}."),
    ]
    payload: Kilograms = None
    """Load on the forearm tip [kg] (default: the scenario's)."""
    arm: Annotated[
        Literal["left", "right", "both"] | None, told("{left,right,both}")
    ] = None
    """Which forearm is loaded (default: the scenario's)."""
    at: Seconds = None
    """When the load appears [s] (default: the scenario's)."""
    remove_at: Seconds = None
    """When it is taken off again [s] (default: the scenario's)."""
    ramp: Seconds = None
    """Time over which the load grows [s] (default: the scenario's)."""
    duration: Seconds = None
    """Length of the run [s] (default: the scenario's)."""
    push: Annotated[tuple[float, float] | None, told("FORWARD LEFT")] = None
    """Push at the pelvis, forward and to the left [N] (default: none)."""
    push_at: float = 8.0
    """When the push starts [s]."""
    push_for: float = 0.1
    """How long it lasts [s]."""
    fault: Faults = ()
    """Read a joint's position, velocity or torque wrongly: nan, stuck, zero, noise or
    offset, from a time on for a while [s], such as torque:LEFT_ELBOW_Y:nan:5:1."""
    tare: float = 0.0
    """Length of the window before loading in which the estimator is tared [s]."""
    plant: Literal["clean", "hardware_twin"] = "clean"
    """Nominal physics, or those of a robot with its sensors and an estimated base."""
    no_friction_compensation: bool = False
    """Let low level and estimator know nothing of the twin's joint friction."""
    truth: bool = False
    """Control on the simulator's state on any plant (on the clean one it is anyway)."""
    estimator: Annotated[str | None, told("NAME")] = None
    """Who estimates the inertias: none, or a name of `wbmpc estimators` but batch
    (default: ekf_supervised)."""
    prior: PriorFlag = "inertia-only"
    """What the estimator keeps near nominal: nothing, the inertia's shape, or all."""
    robot: RobotName = "alexander"
    """Name of a shipped robot, or its settings.toml."""
    seed: int = 0
    """Seed of everything random."""
    set: Changes = ()
    """Change a setting of the robot, such as mpc.costs.torque.weight=1e-4."""
    json: bool = False
    """Print one JSON object on standard output."""
    out: Folder = None
    """Folder for the files, empty or new (default: runs/TIMESTAMP-SCENARIO-KIND)."""
    no_files: bool = False
    """Leave no folder behind."""


class Run(RunOptions, frozen=True, kw_only=True):
    """Run one scenario in simulation."""

    no_ekf: bool = False
    """Leave the inertias nominal: short for --estimator none."""
    no_twin: bool = False
    """Skip the unloaded run that tip errors are measured against."""
    meshcat: bool = False
    """Show the robot in a browser while it runs."""
    realtime: bool = False
    """Run against the wall clock, in two processes, instead of in lock-step."""


class Compare(RunOptions, frozen=True, kw_only=True):
    """Run a scenario unloaded, without and with the estimator, side by side."""

    priors: bool = False
    """Also run the other prior regimes (Table V)."""
    jobs: int = min(2, os.cpu_count() or 1)
    """Runs at a time, each in a process of its own."""


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """Time every stage, against other ways to do it and against the last time."""

    quick: bool = False
    """Fewer repetitions: a look, not a measurement."""
    robot: RobotName = "alexander"
    """Name of a shipped robot, or its settings.toml."""
    set: Changes = ()
    """Change a setting of the robot, such as mpc.threads=2."""
    json: bool = False
    """Print one JSON object on standard output."""
    no_files: bool = False
    """Do not save the result in runs/bench."""


class Doctor(msgspec.Struct, frozen=True, kw_only=True):
    """Is this install sound?"""

    json: bool = False
    """Print one JSON object on standard output."""


Command = (
    Annotated[Run, tyro.conf.subcommand("run")]
    | Annotated[Compare, tyro.conf.subcommand("compare")]
    | Annotated[Tipping, tyro.conf.subcommand("tipping")]
    | Annotated[Seeds, tyro.conf.subcommand("seeds")]
    | Annotated[Reproduce, tyro.conf.subcommand("reproduce")]
    | Annotated[Teleop, tyro.conf.subcommand("teleop")]
    | Annotated[References, tyro.conf.subcommand("references")]
    | Annotated[Estimate, tyro.conf.subcommand("estimate")]
    | Annotated[Estimators, tyro.conf.subcommand("estimators")]
    | Annotated[Bench, tyro.conf.subcommand("bench")]
    | Annotated[Check, tyro.conf.subcommand("check")]
    | Annotated[Init, tyro.conf.subcommand("init")]
    | Annotated[Robots, tyro.conf.subcommand("robots")]
    | Annotated[So101, tyro.conf.subcommand("so101")]
    | Annotated[Doctor, tyro.conf.subcommand("doctor")]
)

Paper = Tipping | Seeds | Reproduce
AnyCommand = (
    Run
    | Compare
    | Paper
    | Teleop
    | References
    | Estimate
    | Estimators
    | Bench
    | Check
    | Init
    | Robots
    | So101
    | Doctor
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    resumable = False
    try:
        with ending_at_once():
            command = parse(sys.argv[1:] if argv is None else argv)
            resumable = isinstance(command, Paper)
            act = _action(command)
        return act()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else EXIT_BAD_INPUT
    except KeyboardInterrupt:
        return _interrupted(resumable)
    except ModelsError as error:
        say(str(error))
        return _exit_code(error)
    except Exception as error:
        if comes_from_interrupt(error):
            return _interrupted(resumable)
        if not _is_estimator_error(error):
            raise
        say(str(error))
        return EXIT_BAD_INPUT


def _interrupted(resumable: bool) -> int:
    kept = "finished runs are kept" if resumable else "no files were kept"
    say(f"interrupted: {kept}")
    return EXIT_INTERRUPTED


def _is_estimator_error(error: Exception) -> bool:
    """Whether the estimators refused something; they know no other package."""
    return any(cls.__name__ == "EkfError" for cls in type(error).__mro__)


def main_of_process() -> int:
    """Run the command of this process, whatever its streams are."""
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    code = main()
    try:
        sys.stdout.flush()
    except OSError:  # whoever read the output has had enough
        sys.stdout = _nowhere()
    return code


def _nowhere() -> TextIO:
    """A stream in place of one that is closed."""
    return open(os.devnull, "w", encoding="utf-8")


def say(sentence: str) -> None:
    """Say something that is not a result; control characters are made visible."""
    shown = _CONTROL.sub(lambda found: ascii(found[0])[1:-1], sentence)
    print(f"{PROG}: {shown}", file=sys.stderr)


def parse(argv: Sequence[str]) -> AnyCommand:
    """Read the command line.

    Raises:
        SystemExit: With code 0 after help, 2 after a sentence about a mistake.
    """
    for argument in argv:
        _refuse_no_text(argument)
    words = io.StringIO()
    try:
        with contextlib.redirect_stderr(words):
            return tyro.cli(
                Command,  # type: ignore[arg-type]
                prog=PROG,
                description="Whole-body MPC and online inertial estimation.",
                args=list(argv),
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit as stop:
        if stop.code:
            say(_one_sentence(words.getvalue()))
        raise


def _refuse_no_text(argument: str) -> None:
    """No name can have a NUL, and no result bytes that are no text.

    Raises:
        SystemExit: It has.
    """
    if "\0" in argument or _is_broken(argument):
        say(f"{argument!r}: has a NUL, or is not UTF-8; no name can be that")
        raise SystemExit(EXIT_BAD_INPUT)


def _is_broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _action(command: AnyCommand) -> Callable[[], int]:
    """What a command does, with everything imported that it needs to start."""
    if isinstance(command, Doctor):
        return partial(_doctor, command)
    if isinstance(command, Check):
        from scenarios.commands.check import check_robot

        return partial(check_robot, command)
    if isinstance(command, Init):
        from scenarios.commands.init import init_robot

        return partial(init_robot, command)
    if isinstance(command, Robots):
        from scenarios.commands.robots import compare_robots

        return partial(compare_robots, command)
    if isinstance(command, So101):
        from scenarios.commands.so101 import so101

        return partial(so101, command)
    if isinstance(command, Estimate):
        from scenarios.commands.estimate import estimate_log

        return partial(estimate_log, command)
    if isinstance(command, Estimators):
        from scenarios.commands.estimators import compare_estimators

        return partial(compare_estimators, command)
    if isinstance(command, Bench):
        from scenarios.commands.bench import bench

        return partial(bench, command)
    if isinstance(command, Paper):
        return _paper(command)
    if isinstance(command, Teleop | References):
        return _teleop(command)
    # Importing the package that drives the robot checks the native wheels.
    from scenarios.commands import run as commands

    if isinstance(command, Compare):
        return partial(commands.compare_scenario, command)
    return partial(commands.run_scenario, command)


def _teleop(command: Teleop | References) -> Callable[[], int]:
    from scenarios.commands import teleop as commands

    if isinstance(command, References):
        return partial(commands.write_references, command)
    return partial(commands.teleop, command)


def _paper(command: Paper) -> Callable[[], int]:
    from scenarios.commands import reproduce as commands

    if isinstance(command, Tipping):
        return partial(commands.run_tipping, command)
    if isinstance(command, Seeds):
        return partial(commands.run_seeds, command)
    return partial(commands.reproduce, command)


def _doctor(command: Doctor) -> int:
    from scenarios.commands.doctor import diagnose, diagnosis_text

    diagnosis = diagnose()
    text = diagnosis_text(diagnosis)
    printed = print_result(diagnosis, text, as_json=command.json)
    return max(printed, EXIT_OK if diagnosis.ok else EXIT_BAD_END)


def print_result(value: object, text: str, *, as_json: bool) -> int:
    """Print the text, or the value as one JSON object and the text as words.

    A reader who has had enough, or a full disk, must not cost the run's files.

    Returns:
        Exit code: bad if the result could not be printed to one who wanted it.
    """
    if as_json:
        if text:
            print(text, file=sys.stderr)
        text = msgspec.json.encode(value).decode()
    try:
        print(text, flush=True)
    except OSError as error:
        sys.stdout = _nowhere()
        if not isinstance(error, BrokenPipeError):
            say(f"could not print the result: {error.strerror}")
            return EXIT_BAD_END
    return EXIT_OK


def tell_folder(folder: RunFolder, path: Path) -> int:
    """Say where the files are, or which could not be written; exit code."""
    say(folder.problem or f"files in {path}")
    return EXIT_BAD_END if folder.problem else EXIT_OK


def _exit_code(error: ModelsError) -> int:
    """Failed gates, lost processes and full disks end badly; the rest is bad input.

    By name: with a wrong pair of wheels the module of these classes does not import.
    """
    gates = {
        "BusLostError",
        "InstallError",
        "ModelMismatchError",
        "ProcessLostError",
        "RealTimeError",
        "UnwrittenError",
    }
    names = {cls.__name__ for cls in type(error).__mro__}
    return EXIT_BAD_END if gates & names else EXIT_BAD_INPUT


def _one_sentence(box: str) -> str:
    """Text of tyro's error box without its frame and repetitions."""
    lines = [line.strip("│╭╰╮╯─ \n") for line in box.splitlines()]
    told = [line for line in lines[1:] if line and not line.startswith("For full help")]
    text = " ".join(told) or "unreadable command line"
    return f"{text.rstrip('.')}; {PROG} --help lists everything"
