"""The command `wbmpc`: reads the command line, and turns errors into exit codes.

A command is a file in `scenarios.commands`, and a line in `COMMANDS`. Heavy packages
are imported when a command needs them, so that help is quick.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
from collections.abc import Sequence
from typing import Annotated, Union

import tyro

from models.errors import ModelsError
from models.version import installed_version
from scenarios.commands.bench import Bench
from scenarios.commands.check import Check
from scenarios.commands.command import Command
from scenarios.commands.compare import Compare
from scenarios.commands.doctor import Doctor
from scenarios.commands.estimate import Estimate
from scenarios.commands.estimators import Estimators
from scenarios.commands.identify import Identify
from scenarios.commands.init import Init
from scenarios.commands.output import PROG, nowhere, say
from scenarios.commands.references import References
from scenarios.commands.reproduce import Reproduce
from scenarios.commands.robots import Robots
from scenarios.commands.run import Run
from scenarios.commands.seeds import Seeds
from scenarios.commands.so101 import So101
from scenarios.commands.sweep import Sweep
from scenarios.commands.sweep_table import SweepTable
from scenarios.commands.teleop import Teleop
from scenarios.commands.tipping import Tipping
from scenarios.commands.video import Video
from scenarios.commands.view import View
from scenarios.exit_codes import EXIT_BAD_INPUT, EXIT_INTERRUPTED, EXIT_OK
from scenarios.interrupts import comes_from_interrupt, ending_at_once
from scenarios.launch import (
    WATCHED,
    blamed_for,
    foreign_libraries,
    foreign_packages,
)

COMMANDS: tuple[type[Command], ...] = (
    Run,
    Compare,
    Tipping,
    Seeds,
    Reproduce,
    View,
    Video,
    Sweep,
    SweepTable,
    Teleop,
    References,
    Estimate,
    Identify,
    Estimators,
    Bench,
    Check,
    Init,
    Robots,
    So101,
    Doctor,
)
"""In the order of the help."""

LEAST_COLUMNS = 40
"""Help is laid out for these: in 5 columns tyro does not come to an end."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    kept = Command.kept
    try:
        if list(sys.argv[1:] if argv is None else argv) == ["--version"]:
            print(f"{PROG} {installed_version()}")
            return EXIT_OK
        with ending_at_once():
            command = parse(sys.argv[1:] if argv is None else argv)
        kept = command.kept
        foreign = foreign_packages(WATCHED) or foreign_libraries()
        if foreign and command.needs_sound_packages:
            say(foreign)
            return EXIT_BAD_INPUT
        return command.act()
    except SystemExit as stop:
        code = EXIT_OK if stop.code is None else stop.code  # as Python has it
        return code if isinstance(code, int) else EXIT_BAD_INPUT
    except KeyboardInterrupt:
        return _interrupted(kept)
    except ModelsError as error:
        say(str(error))
        return error.exit_code
    except Exception as error:
        if comes_from_interrupt(error):
            return _interrupted(kept)
        told = str(error) if _is_of_estimators(error) else blamed_for(error)
        if not told:
            raise
        say(told)
        return EXIT_BAD_INPUT


def _interrupted(kept: str) -> int:
    say(f"interrupted: {kept}")
    return EXIT_INTERRUPTED


def _is_of_estimators(error: Exception) -> bool:
    """Whether the estimators refused something; they know no other package.

    Without importing them: with a wrong pair of wheels they may not import.
    """
    errors = sys.modules.get("ekf.errors")
    return errors is not None and isinstance(error, errors.EkfError)


def main_of_process() -> int:
    """Run the command of this process, whatever its streams are."""
    sys.stdout = sys.stdout or nowhere()
    sys.stderr = sys.stderr or nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without our characters
    code = main()
    try:
        sys.stdout.flush()
    except OSError:  # whoever read the output has had enough
        sys.stdout = nowhere()
    return code


def parse(argv: Sequence[str]) -> Command:
    """Read the command line.

    Raises:
        SystemExit: With code 0 after help, 2 after a sentence about a mistake.
    """
    for before, argument in zip(["", *argv], argv, strict=False):
        _refuse_no_text(argument)
        _refuse_empty(argument, before)
    words = io.StringIO()
    if shutil.get_terminal_size().columns < LEAST_COLUMNS:
        os.environ["COLUMNS"] = str(LEAST_COLUMNS)
    try:
        with contextlib.redirect_stderr(words):
            return tyro.cli(
                _any_command(),
                prog=PROG,
                description="Whole-body MPC and online inertial estimation. "
                "--version tells which.",
                args=list(argv),
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit as stop:
        if stop.code:
            say(_one_sentence(words.getvalue()))
        raise


def _any_command() -> type[Command]:
    """Union of all commands."""
    named = (
        Annotated[command, tyro.conf.subcommand(name_of(command))]
        for command in COMMANDS
    )
    return Union[*named]  # type: ignore[return-value] # noqa: UP007


def name_of(command: type[Command]) -> str:
    """A class's name in lower case, with a dash before each further word."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", command.__name__).lower()


def _refuse_no_text(argument: str) -> None:
    """No name can have a NUL, and no result bytes that are no text.

    Raises:
        SystemExit: It has.
    """
    if "\0" in argument or _is_broken(argument):
        say(f"{argument!r}: has a NUL, or is not UTF-8; no name can be that")
        raise SystemExit(EXIT_BAD_INPUT)


def _refuse_empty(argument: str, before: str) -> None:
    """Python takes an empty path for the current folder, and a shell makes them easily.

    Raises:
        SystemExit: It is empty.
    """
    if not argument:
        option = f"{before}: " if before.startswith("--") else ""
        say(f"{option}'' is empty; no name, file or number can be that")
        raise SystemExit(EXIT_BAD_INPUT)


def _is_broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _one_sentence(box: str) -> str:
    """Text of tyro's error box without its frame and repetitions.

    The frame is drawn in ASCII where the terminal has no other characters.
    """
    lines = [line.strip("│╭╰╮╯─| \n") for line in box.splitlines()]
    lines = [line for line in lines if line.strip("+-")]
    told = [line for line in lines[1:] if not line.startswith("For full help")]
    text = " ".join(told) or "unreadable command line"
    return f"{text.rstrip('.')}; {PROG} --help lists everything"
