"""Every part of the paper on one page, with pictures, tables and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from models.errors import UnknownNameError, UnwrittenError
from scenarios.records.source_digest import source_digest
from scenarios.records.versions import installed_versions
from scenarios.report.figure_style import DPI
from scenarios.report.scoreboard import lines_table, verdict
from scenarios.run.lab import Lab, merged
from scenarios.run.settings import RunSettings
from scenarios.studies.paper.ablation import ablation
from scenarios.studies.paper.balancing import balance, tipping
from scenarios.studies.paper.experiment import Experiment, Report, Scope
from scenarios.studies.paper.hardware import loading, pickup
from scenarios.studies.paper.page import write_page
from scenarios.studies.paper.seeds import seeds
from scenarios.studies.paper.washing import washing

Parts = Sequence[tuple[Experiment, Report]]

BUILDERS = {
    "washing": washing,
    "balance": balance,
    "tipping": tipping,
    "runtime_loading": loading,
    "squat_pickup": pickup,
    "ablation": ablation,
    "seeds": seeds,
}
"""Parts of the page, in its order."""


def chosen_parts(only: Sequence[str], scope: Scope) -> list[Experiment]:
    """Parts that were asked for; all if none were, without the ablation if quick.

    Raises:
        UnknownNameError: No such part.
    """
    for key in only:
        if key not in BUILDERS:
            raise UnknownNameError("part", key, BUILDERS)
    keys = only or [key for key in BUILDERS if key != "ablation" or not scope.quick]
    return [BUILDERS[key](scope) for key in keys]


def planned_runs(experiments: Sequence[Experiment]) -> dict[str, RunSettings]:
    """Runs that can be made beforehand, with names that are unique over experiments."""
    return merged(
        {f"{experiment.key}: {name}": run for name, run in experiment.runs.items()}
        for experiment in experiments
    )


def summary(parts: Parts, scope: Scope) -> dict[str, Any]:
    """Everything as one object."""
    return {
        "scope": scope,
        "experiments": {
            experiment.key: {
                "title": experiment.title,
                "goals_met": sum(line.met is True for line in report.lines),
                "goals": sum(line.goal is not None for line in report.lines),
                "fallen": report.fallen,
                "figures": [
                    {**msgspec.structs.asdict(line), "met": line.met}
                    for line in report.lines
                ],
                "data": report.data,
            }
            for experiment, report in parts
        },
        "source": source_digest(),
        "versions": installed_versions(),
    }


def tables(parts: Parts) -> str:
    """Everything as text."""
    blocks = []
    for experiment, report in parts:
        blocks.append(lines_table(experiment.title, report.lines))
        blocks += [f"{title}\n{table}" for title, table in report.tables.items()]
        blocks.append(verdict(report.lines))
    return "\n\n".join(blocks)


def fallen(parts: Parts) -> list[str]:
    """Runs that fell and should not have."""
    return [name for _, report in parts for name in report.fallen]


def write_reproduction(
    out: Path, parts: Parts, result: Mapping[str, Any], scope: Scope, lab: Lab
) -> None:
    """Pictures, page, JSON and text.

    Raises:
        UnwrittenError: They cannot be written.
    """
    pictures = {
        name: out / "pictures" / f"{name}.png"
        for _, report in parts
        for name in report.figures
    }
    try:
        for _, report in parts:
            _draw(out, report)
        text = msgspec.json.format(msgspec.json.encode(result), indent=2)
        (out / "metrics.json").write_bytes(text + b"\n")
        (out / "tables.txt").write_text(tables(parts) + "\n", encoding="utf-8")
        write_page(out / "index.html", parts, pictures, _facts(scope, lab))
    except OSError as error:
        raise UnwrittenError(f"cannot write into {out}: {error.strerror}") from None


def _draw(out: Path, report: Report) -> None:
    folder = out / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in report.figures.items():
        draw().savefig(folder / f"{name}.png", dpi=DPI)


def _facts(scope: Scope, lab: Lab) -> dict[str, str]:
    versions = installed_versions()
    return {
        "length": "quick: shortened runs" if scope.quick else "full",
        "seeds": f"0 to {scope.seeds - 1}; single runs use seed 0",
        "robot": " ".join([scope.robot, *scope.overrides]),
        "runs": f"{lab.made} made now, {lab.found} found finished",
        "source": source_digest(),
        "versions": ", ".join(f"{k} {v}" for k, v in versions.items() if v),
    }
