"""Figures of a Markdown page, written by the command that measures them.

A page marks where they go:

    <!-- figures: balance -->
    <!-- end -->

takes the figures of a part beside the paper's and our goals, and

    <!-- table: seeds/balance -->
    <!-- end -->

one of its further tables. What stands between the two lines is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from models.errors import UnknownNameError, UnwrittenError
from scenarios.errors import ScenarioError
from scenarios.report.scoreboard import Line
from scenarios.studies.paper.experiment import Experiment, Report

BLOCK = re.compile(
    r"(?P<head><!-- (?P<kind>figures|table): (?P<part>\w+)"
    r"(?:/(?P<title>[^>]+?))? -->\n)"
    r"(?P<body>.*?)(?P<end><!-- end -->)",
    re.DOTALL,
)
HEADER = "| figure | paper | ours | goal | |\n|---|---|---|---|---|\n"


def write_figures(path: Path, parts: Sequence[tuple[Experiment, Report]]) -> int:
    """Write the figures of some parts into a page; the other blocks stay.

    Returns:
        How many blocks were written.

    Raises:
        ScenarioError: The page cannot be read.
        UnknownNameError: It asks for a table that a part does not have.
        UnwrittenError: It cannot be written.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path}: cannot be read: {error}") from None
    reports = {experiment.key: report for experiment, report in parts}
    count = 0

    def fill(match: re.Match[str]) -> str:
        nonlocal count
        report = reports.get(match["part"])
        if report is None:
            return match[0]
        count += 1
        return match["head"] + _body(match, report) + match["end"]

    filled = BLOCK.sub(fill, text)
    try:
        path.write_text(filled, encoding="utf-8")
    except OSError as error:
        raise UnwrittenError(f"cannot write {path}: {error.strerror}") from None
    return count


def stated(text: str) -> Mapping[str, list[list[str]]]:
    """Cells of the rows of figures that a page states, by part."""
    rows: dict[str, list[list[str]]] = {}
    for match in BLOCK.finditer(text):
        if match["kind"] == "figures":
            lines = match["body"].splitlines()[2:]
            rows[match["part"]] = [
                [cell.strip() for cell in line.strip("|").split("|")] for line in lines
            ]
    return rows


def _body(match: re.Match[str], report: Report) -> str:
    if match["kind"] == "figures":
        return HEADER + "".join(map(_row, report.lines))
    title = match["title"]
    if title not in report.tables:
        raise UnknownNameError("table", title or "", report.tables)
    lines = report.tables[title].splitlines()
    return "```\n" + "".join(f"{line.rstrip()}\n" for line in lines) + "```\n"


def _row(line: Line) -> str:
    label, ours, paper, goal, met = line.cells()
    return f"| {label} | {paper} | {ours} | {goal} | {met.lower()} |\n"
