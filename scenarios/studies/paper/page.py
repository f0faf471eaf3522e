"""The page: every table and figure, ours beside the paper's, in one offline file."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from pathlib import Path

from scenarios.report.scoreboard import Line
from scenarios.studies.paper.experiment import Experiment, Report

MARKS = {True: ("met", "met"), False: ("short", "SHORT"), None: ("", "")}


def write_page(
    path: Path,
    parts: Sequence[tuple[Experiment, Report]],
    pictures: Mapping[str, Path],
    facts: Mapping[str, str],
) -> None:
    """Write the page.

    Args:
        path: File to write.
        parts: Experiments with their reports.
        pictures: PNG files by name of a report's figure.
        facts: What the reader must know of how it was made, by title.

    Raises:
        OSError: The file cannot be written.
    """
    sections = [_section(e, r, pictures) for e, r in parts]
    body = "\n".join([_summary(parts), *sections, _facts(facts)])
    path.write_text(_PAGE.replace("@BODY@", body), encoding="utf-8")


def _summary(parts: Sequence[tuple[Experiment, Report]]) -> str:
    rows = []
    for experiment, report in parts:
        judged = [line for line in report.lines if line.goal is not None]
        met = sum(line.met is True for line in judged)
        short = ", ".join(line.label for line in judged if line.met is not True)
        fallen = ", ".join(report.fallen) or "nobody"
        rows.append(
            f'<tr><td><a href="#{experiment.key}">{_text(experiment.title)}</a></td>'
            f"<td>{met} of {len(judged)}</td><td>{_text(short) or '-'}</td>"
            f"<td>{_text(fallen)}</td></tr>"
        )
    return (
        "<h2>At a glance</h2><table><tr><th>experiment</th><th>goals met</th>"
        "<th>short of its goal</th><th>fell and should not have</th></tr>"
        + "".join(rows)
        + "</table>"
    )


def _section(
    experiment: Experiment, report: Report, pictures: Mapping[str, Path]
) -> str:
    parts = [
        f'<h2 id="{experiment.key}">{_text(experiment.title)}</h2>',
        f"<p>{_text(experiment.about)}</p>",
        _lines(report.lines),
    ]
    parts += [_picture(name, pictures[name]) for name in report.figures]
    parts += [
        f"<details><summary>{_text(title)}</summary><pre>{_text(table)}</pre></details>"
        for title, table in report.tables.items()
    ]
    return "\n".join(parts)


def _lines(lines: Sequence[Line]) -> str:
    rows = []
    for line in lines:
        label, ours, paper, goal, _ = line.cells()
        style, word = MARKS[line.met]
        cells = "".join(f"<td>{_text(cell)}</td>" for cell in (ours, paper, goal))
        rows.append(
            f'<tr><td>{_text(label)}</td>{cells}<td class="{style}">{word}</td></tr>'
        )
    head = "<tr><th></th><th>ours</th><th>paper</th><th>goal</th><th></th></tr>"
    return f'<table class="figures">{head}{"".join(rows)}</table>'


def _picture(name: str, path: Path) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<img alt="{_text(name)}" src="data:image/png;base64,{data}">'


def _facts(facts: Mapping[str, str]) -> str:
    rows = "".join(
        f"<tr><td>{_text(title)}</td><td>{_text(fact)}</td></tr>"
        for title, fact in facts.items()
    )
    return f"<h2>How this was made</h2><table>{rows}</table>"


def _text(words: str) -> str:
    return html.escape(words)


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>wbmpc: the paper's results, made again</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #1c2024; background: #fff;
  max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.6rem; border-bottom: 1px solid #d7dce1; padding-bottom: .2rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .22rem .8rem .22rem 0;
  border-bottom: 1px solid #edf0f2; }
table.figures td:nth-child(2), table.figures td:nth-child(3),
table.figures th:nth-child(2), table.figures th:nth-child(3) { text-align: right; }
td.met { color: #00694a; } td.short { color: #b3400a; font-weight: 600; }
img { display: block; max-width: 100%; margin: 1.2rem 0; }
pre { overflow-x: auto; font-size: 12.5px; line-height: 1.4; background: #f6f8f9;
  padding: .8rem; }
summary { cursor: pointer; color: #0a5c96; }
</style>
</head>
<body>
<h1>The paper's results, made again</h1>
<p>Ours beside those of arXiv:2610.22176. The hardware experiments run on a simulated
twin with a robot's imperfections. A goal that is not met is marked SHORT.</p>
@BODY@
</body>
</html>
"""
