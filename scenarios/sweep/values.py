"""Lists of values as a user writes them: `1,2,5`, `0:20`, `left,right`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TypeVar

from scenarios.errors import ScenarioError

Value = TypeVar("Value")

MOST_VALUES = 1_000_000
"""Of one option; a longer list is a mistake."""
_OPENING, _CLOSING, _QUOTES = "[{(", "]})", "\"'"


def parts_of(option: str, text: str) -> list[str]:
    """Parts between commas, those within brackets or quotes left whole.

    Raises:
        ScenarioError: A part is empty.
    """
    parts, depth, quote, start = [], 0, "", 0
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES:
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts = [part.strip() for part in (*parts, text[start:])]
    if not all(parts):
        raise ScenarioError(f"{option} {text}: a value between the commas is missing")
    return parts


def integers(option: str, text: str) -> tuple[int, ...]:
    """Whole numbers and ranges `FROM:TO` or `FROM:TO:STEP`, their ends left out.

    Raises:
        ScenarioError: Something else.
    """
    return _unique(option, text, _ranges(option, text, int, "whole numbers"))


def numbers(option: str, text: str) -> tuple[float, ...]:
    """Numbers and ranges `FROM:TO:STEP`, their ends left out.

    Raises:
        ScenarioError: Something else.
    """
    return _unique(option, text, _ranges(option, text, float, "numbers"))


def words(option: str, text: str) -> tuple[str, ...]:
    """Words.

    Raises:
        ScenarioError: One is missing, or there twice.
    """
    return _unique(option, text, parts_of(option, text))


def vectors(option: str, text: str, length: int) -> tuple[tuple[float, ...], ...]:
    """Vectors with a colon between their numbers, such as `0:0:90,0.1:0:0`.

    Raises:
        ScenarioError: Something else.
    """
    found = []
    for part in parts_of(option, text):
        try:
            vector = tuple(map(float, part.split(":")))
        except ValueError:
            vector = ()
        if len(vector) != length:
            raise ScenarioError(
                f"{option} {part}: must be {length} numbers with a colon between them"
            )
        found.append(vector)
    return _unique(option, text, found)


def _ranges(
    option: str, text: str, kind: Callable[[str], Value], what: str
) -> Iterable[Value]:
    for part in parts_of(option, text):
        try:
            ends = [kind(end) for end in part.split(":")]
        except ValueError:
            ends = []
        if len(ends) == 1:
            yield ends[0]
        elif len(ends) in (2, 3):
            yield from _range(option, part, *ends)
        else:
            raise ScenarioError(
                f"{option} {part}: must be {what} with commas between them, or a range "
                "FROM:TO or FROM:TO:STEP"
            )


def _range(option: str, part: str, start, end, step=1):  # type: ignore[no-untyped-def]
    """Values of a range, each a multiple of the step from its start."""
    steps = (end - start) / step if step else math.nan
    if not 0 < steps <= MOST_VALUES:  # not finite, too
        raise ScenarioError(
            f"{option} {part}: a range goes FROM:TO in steps, up or down, and leaves "
            "out TO"
        )
    count = math.ceil(steps - 1e-9)
    for index in range(count):
        value = start + index * step
        # 0.1 * 3 is not 0.3: what is written is what is meant.
        yield value if isinstance(value, int) else float(f"{value:.12g}")


def _unique(option: str, text: str, values: Iterable[Value]) -> tuple[Value, ...]:
    found = tuple(values)
    if len(set(found)) != len(found):
        raise ScenarioError(f"{option} {text}: has a value twice")
    return found
