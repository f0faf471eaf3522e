"""One figure per line: ours, the paper's, our goal, and whether it is met."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scenarios.report.paper import Goal
from scenarios.report.tables import mark, number, render


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of an experiment."""

    key: str
    """Unique within the experiment; ends in the unit."""
    label: str
    value: float | None
    unit: str = ""
    decimals: int = 1
    paper: float | str | None = None
    """Published value, or words about it."""
    goal: Goal | None = None

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without a goal or a value."""
        return None if self.goal is None else self.goal.met(self.value)

    def cells(self) -> list[str]:
        """Label, ours, paper, goal, mark, as text."""
        paper = self.paper
        if not isinstance(paper, str):
            paper = "" if paper is None else number(paper, self.decimals)
        unit = f" [{self.unit}]" if self.unit else ""
        return [
            f"{self.label}{unit}",
            number(self.value, self.decimals),
            paper,
            "" if self.goal is None else str(self.goal),
            "" if self.goal is None else mark(self.met),
        ]


_UNITS = {u: u for u in ("mm", "deg", "kg", "W", "Ns", "s")} | {"pct": "%"}


def field_line(
    measured: msgspec.Struct,
    key: str,
    label: str,
    *,
    prefix: str = "",
    decimals: int = 1,
    paper: float | str | None = None,
    goal: Goal | None = None,
) -> Line:
    """A field of a scenario's figures; its unit is the end of its name."""
    return Line(
        key=prefix + key,
        label=label,
        value=getattr(measured, key),
        unit=_UNITS.get(key.rpartition("_")[2], ""),
        decimals=decimals,
        paper=paper,
        goal=goal,
    )


def lines_table(title: str, lines: Sequence[Line]) -> str:
    """Text table of an experiment."""
    header = (title, "ours", "paper", "goal", "")
    return render(header, [line.cells() for line in lines])


def verdict(lines: Sequence[Line]) -> str:
    """How many goals are met, and which are not."""
    judged = [line for line in lines if line.goal is not None]
    short = [shortfall(line) for line in judged if line.met is not True]
    tail = f"; short: {', '.join(short)}" if short else ""
    return f"goals met: {len(judged) - len(short)} of {len(judged)}{tail}"


def shortfall(line: Line) -> str:
    """A figure, its value and the goal that it does not meet."""
    value = "unknown"
    if line.value is not None:
        value = f"{number(line.value, line.decimals)} {line.unit}".rstrip()
    return f"{line.label} {value} (goal {line.goal})"
