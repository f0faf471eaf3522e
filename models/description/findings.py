"""The findings of a check of a robot file: errors apart from warnings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from models.errors import ModelsError, SettingError, UnknownNameError

Severity = Literal["error", "warning"]
_NAMED_ERRORS = 3
"""Errors that a refusal tells."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing found."""

    severity: Severity
    """An error keeps the robot from being loaded; a warning does not."""
    where: str
    """Element and field, as written in the file."""
    value: str
    """The value that stands there."""
    rule: str
    """The rule it breaks, or what is made of it."""

    def sentence(self) -> str:
        """Where, value and rule in one line."""
        return f"{self.where} {self.value}: {self.rule}"


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All findings of one file, errors first."""

    ok: bool
    """No errors."""
    file: str
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Findings that keep the robot from being loaded."""
        return tuple(f for f in self.findings if f.severity == "error")

    def refusal(self) -> str:
        """File and first errors in one sentence, and who tells the rest."""
        told = "; ".join(finding.sentence() for finding in self.errors[:_NAMED_ERRORS])
        more = len(self.errors) - _NAMED_ERRORS
        rest = f"; and {more} more" if more > 0 else ""
        return f"{self.file}: {told}{rest} (wbmpc check {self.file} tells everything)"

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The rest."""
        return tuple(f for f in self.findings if f.severity == "warning")


def error(where: str, value: object, rule: str) -> Finding:
    """A finding that keeps the robot from being loaded."""
    return Finding(severity="error", where=where, value=str(value), rule=rule)


def warning(where: str, value: object, rule: str) -> Finding:
    """A finding that does not."""
    return Finding(severity="warning", where=where, value=str(value), rule=rule)


def setting_error(problem: ModelsError) -> Finding:
    """What keeps settings from being used, by key, value and rule where they are known.

    The file is left out; a report has its own.
    """
    if isinstance(problem, SettingError):
        value = "unusable" if problem.value is None else repr(problem.value)
        return error(f"settings: {problem.key}", value, problem.rule)
    if isinstance(problem, UnknownNameError):
        where = problem.place or problem.kind
        rule = f"no such {problem.kind}; {problem.rule}"
        return error(f"settings: {where}", repr(problem.name), rule)
    return error("settings", "unusable", str(problem))


def report(file: str, findings: Iterable[Finding]) -> Report:
    """Findings of a file, errors first, each one once."""
    unique = tuple(dict.fromkeys(findings))
    errors = tuple(f for f in unique if f.severity == "error")
    warnings = tuple(f for f in unique if f.severity == "warning")
    return Report(ok=not errors, file=file, findings=errors + warnings)
