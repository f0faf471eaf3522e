"""Exceptions of the robot descriptions; each is one sentence fit for a user."""

from __future__ import annotations

import copyreg
import difflib
from collections.abc import Iterable
from typing import Any, ClassVar


def near_names(
    name: str, choices: Iterable[str], *, likeness: float = 0.5
) -> list[str]:
    """At most three of the choices that look like a name."""
    return difflib.get_close_matches(name, sorted(choices), n=3, cutoff=likeness)


class ModelsError(Exception):
    """Base of everything this package raises on purpose."""

    exit_code: ClassVar[int] = 2
    """Of a program that it ends: 2 after bad input, 1 after anything else."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the sentence and the fields, whatever the constructor takes."""
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]


class SettingsError(ModelsError):
    """A settings file or an override is wrong."""


class SettingError(SettingsError):
    """One setting that cannot be used, by its key."""

    def __init__(self, key: str, value: object, rule: str, place: str = "") -> None:
        """Build the sentence from key, value and rule, and the file if it is known."""
        self.key, self.value, self.rule, self.place = key, value, rule, place
        where = f"{place}: {key}" if place else key
        told = "" if value is None else f" is {value!r}"
        super().__init__(f"{where}{told}: {rule}")

    def inside(self, file: object) -> SettingError:
        """The same error, in a file."""
        return SettingError(self.key, self.value, self.rule, str(file))


class UnknownNameError(ModelsError):
    """A name that does not exist, with the nearest ones that do."""

    def __init__(
        self, kind: str, name: str, choices: Iterable[str], place: str = ""
    ) -> None:
        """Build the sentence from what was asked for, where, and what there is."""
        self.kind, self.name, self.choices = kind, name, tuple(sorted(choices))
        self.place = place
        near = near_names(name, self.choices)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        self.rule = f"{hint}choose from {', '.join(self.choices)}"
        super().__init__(
            f"unknown {kind} {name!r}{f' in {place}' if place else ''}: {self.rule}"
        )

    def inside(self, file: object) -> UnknownNameError:
        """The same error, in a file."""
        place = f"{file}: {self.place}" if self.place else str(file)
        return UnknownNameError(self.kind, self.name, self.choices, place)


class RobotFileError(ModelsError):
    """A robot file that cannot be read, or must not be used."""


class UnwrittenError(ModelsError):
    """A file that was asked for and could not be written; the results stand."""

    exit_code = 1


class ProposalError(ModelsError):
    """A robot for which no settings can be proposed."""
