"""`wbmpc check`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import tyro

from models.catalogue import settings_path
from models.errors import ModelsError, SettingError, UnwrittenError
from scenarios.commands.command import Command
from scenarios.commands.options import File, Json, mesh_folders
from scenarios.commands.output import print_result, say
from scenarios.exit_codes import EXIT_BAD_END, EXIT_OK
from scenarios.interrupts import ending_at_once

if TYPE_CHECKING:
    from models.description.findings import Finding, Report
    from models.description.repair import Repaired

_WIDTH = 88


class Check(Command, frozen=True, kw_only=True):
    """Check a robot file, and settings for it."""

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """URDF file, settings.toml, or name of a shipped or installed robot."""
    meshes: Annotated[
        tyro.conf.UseAppendAction[tuple[str, ...]],
        tyro.conf.arg(metavar="FOLDER"),
    ] = ()
    """Folder in which packages of package:// meshes are looked for."""
    fix: File = None
    """Write a repaired copy of the URDF to this new file."""
    json: Json = False

    def act(self) -> int:
        """Check a robot: code 0 without errors, 1 with, 2 if it cannot be read."""
        with ending_at_once():
            from models.description.findings import report, setting_error
            from models.description.repair import write_repaired
            from scenarios.run.robot_check import check_robot, read_robot
        repaired, settings_file, code = None, None, EXIT_OK
        try:
            settings, description = read_robot(self.robot)
            if settings is not None:
                settings_file = str(settings_path(self.robot))
            folders = mesh_folders(self.meshes)
            found = check_robot(settings, description, folders)
            if self.fix is not None:
                repaired = write_repaired(description, Path(self.fix), folders)
        except UnwrittenError as problem:
            say(str(problem))
            code = problem.exit_code
        except SettingError as problem:
            found = report(problem.place, [setting_error(problem)])
            settings_file = problem.place
        except ModelsError as problem:
            self._tell_refusal(problem)
            return problem.exit_code
        result = CheckResult(
            ok=found.ok,
            file=found.file,
            settings=settings_file,
            findings=found.findings,
            repaired=repaired,
        )
        text = check_text(found, settings_file, repaired)
        printed = print_result(result, text, as_json=self.json)
        return max(code, printed, EXIT_OK if found.ok else EXIT_BAD_END)

    def _tell_refusal(self, problem: ModelsError) -> None:
        """Say why nothing was checked; with `--json` as a finding of the same shape."""
        from models.description.findings import error

        say(str(problem))
        if self.json:
            unread = error("file", self.robot, str(problem))
            result = CheckResult(ok=False, file=self.robot, findings=(unread,))
            print_result(result, "", as_json=True)


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """The object that `--json` prints."""

    ok: bool
    """No errors."""
    file: str
    """The robot file; the settings if they do not tell which."""
    settings: str | None = None
    """Settings file, if there is one."""
    findings: tuple[Finding, ...]
    """Errors first."""
    repaired: Repaired | None = None
    """The copy of `--fix`."""


def check_text(
    found: Report, settings_file: str | None = None, repaired: Repaired | None = None
) -> str:
    """Findings for a terminal, errors before warnings, then the repairs."""
    lines = list(dict.fromkeys(f for f in (settings_file, found.file) if f))
    for title, findings in (("error", found.errors), ("warning", found.warnings)):
        lines += _table(title, findings)
    lines.append(_verdict(found))
    return "\n".join(lines + (_repairs(repaired) if repaired is not None else []))


def _table(title: str, findings: Sequence[Finding]) -> list[str]:
    lines: list[str] = []
    for finding in findings:
        head = f"{title:>7}  {finding.where}: {finding.value}"
        lines += textwrap.wrap(head, _WIDTH, subsequent_indent=" " * 11)
        rule = textwrap.wrap(finding.rule, _WIDTH - 11)
        lines += [" " * 11 + line for line in rule]
    return lines


def _verdict(found: Report) -> str:
    counts = f"{_count(found.errors, 'error')}, {_count(found.warnings, 'warning')}"
    return f"{counts}: " + ("usable" if found.ok else "NOT usable")


def _repairs(repaired: Repaired) -> list[str]:
    lines = ["", f"repaired copy: {repaired.file}"]
    for repair in repaired.repairs:
        text = f"{repair.where}: {repair.old} -> {repair.new} ({repair.reason})"
        lines += textwrap.wrap(
            text, _WIDTH, initial_indent="  ", subsequent_indent="    "
        )
    if not repaired.repairs:
        lines.append("  nothing was repaired")
    left = repaired.report.errors
    lines.append(f"not repaired: {_count(left, 'error')}")
    for finding in left:
        text = finding.sentence()
        lines += textwrap.wrap(
            text, _WIDTH, initial_indent="  ", subsequent_indent="    "
        )
    return lines


def _count(findings: Sequence[Finding], word: str) -> str:
    return f"{len(findings)} {word}{'' if len(findings) == 1 else 's'}"
