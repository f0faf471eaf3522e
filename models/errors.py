"""Exceptions of the robot descriptions; each is one sentence fit for a user."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def near_names(
    name: str, choices: Iterable[str], *, likeness: float = 0.5
) -> list[str]:
    """At most three of the choices that look like a name."""
    return difflib.get_close_matches(name, sorted(choices), n=3, cutoff=likeness)


class ModelsError(Exception):
    """Base of everything this package raises on purpose."""


class SettingsError(ModelsError):
    """A settings file or an override is wrong."""


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
        super().__init__(
            f"unknown {kind} {name!r}{f' in {place}' if place else ''}: {hint}"
            f"choose from {', '.join(self.choices)}"
        )

    def inside(self, file: object) -> UnknownNameError:
        """The same error, in a file."""
        place = f"{file}: {self.place}" if self.place else str(file)
        return UnknownNameError(self.kind, self.name, self.choices, place)


class RobotFileError(ModelsError):
    """A robot file that can not be read, or must not be used."""


class ProposalError(ModelsError):
    """A robot for which no settings can be proposed."""
