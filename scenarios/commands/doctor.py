"""`wbmpc doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from scenarios.commands.command import Command
from scenarios.commands.options import Json
from scenarios.commands.output import print_result
from scenarios.exit_codes import EXIT_BAD_END, EXIT_OK
from scenarios.interrupts import ending_at_once

if TYPE_CHECKING:
    from scenarios.studies.install.diagnosis import Diagnosis


class Doctor(Command, frozen=True, kw_only=True):
    """Is this install sound?"""

    needs_sound_packages: ClassVar[bool] = False

    json: Json = False

    def act(self) -> int:
        """Look at the installation, and say what was found."""
        with ending_at_once():
            from scenarios.studies.install.diagnosis import diagnose
        found = diagnose()
        printed = print_result(found, diagnosis_text(found), as_json=self.json)
        return max(printed, EXIT_OK if found.ok else EXIT_BAD_END)


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """The diagnosis as lines for a terminal."""
    lines = []
    for finding in diagnosis.findings:
        word = "ok" if finding.ok else ("BAD" if finding.needed else "note")
        lines.append(f"{word:>4}  {finding.what}: {finding.detail}")
    versions = (f"{k} {v or 'missing'}" for k, v in diagnosis.versions.items())
    lines.append("      " + ", ".join(versions))
    lines.append("sound" if diagnosis.ok else "NOT sound: see BAD above")
    return "\n".join(lines)
