"""The base of every command of `wbmpc`: options, and an action."""

from __future__ import annotations

from typing import ClassVar

import msgspec


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A command, called as its class, in lower case.

    Its fields are its options; their docstrings are their help. Help needs every
    command, so that what takes long to import is imported in `act`, within
    `ending_at_once`.
    """

    kept: ClassVar[str] = "no files were kept"
    """Said after an interrupt: the files it leaves."""

    needs_sound_packages: ClassVar[bool] = True
    """Whether it refuses to start with a foreign package first on Python's path."""

    def act(self) -> int:
        """Do it; return the exit code.

        Raises:
            ModelsError: It cannot be done, in one sentence.
        """
        raise NotImplementedError
