"""Exceptions of the scenarios; each is one sentence fit for a user."""

from __future__ import annotations

from models.errors import ModelsError


class ScenarioError(ModelsError):
    """A run that cannot be started as asked."""


class OutOfRangeError(ScenarioError):
    """A number of an option that is too small, too large, or none."""

    def __init__(
        self, option: str, value: float, low: float, high: float, unit: str
    ) -> None:
        """Build the sentence from the option, its value and its range."""
        self.option, self.value, self.low, self.high = option, value, low, high
        self.unit = unit
        allowed = f"{low:g} and {high:g} {unit}".rstrip()
        super().__init__(f"--{option} {value:g}: must be between {allowed}")

    def called(self, option: str) -> OutOfRangeError:
        """The same of a command that has another name for the option."""
        return OutOfRangeError(option, self.value, self.low, self.high, self.unit)
