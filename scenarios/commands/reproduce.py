"""What `wbmpc tipping`, `wbmpc seeds` and `wbmpc reproduce` do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from models.errors import UnknownNameError, UnwrittenError
from scenarios.cli import EXIT_BAD_END, EXIT_OK, print_result, say
from scenarios.commands.reproduce_options import PaperOptions, Reproduce, Seeds, Tipping
from scenarios.commands.run import Bars
from scenarios.errors import ScenarioError
from scenarios.library.catalogue import find_scenario
from scenarios.records.run_cache import RunCache
from scenarios.records.source_digest import source_digest
from scenarios.records.versions import installed_versions
from scenarios.report.figure_style import DPI
from scenarios.report.scoreboard import lines_table, verdict
from scenarios.run.lab import Lab, merged
from scenarios.run.settings import DEFAULT_ESTIMATOR, NO_ESTIMATOR
from scenarios.studies.paper.ablation import ablation
from scenarios.studies.paper.balancing import (
    balance,
    tipping,
    tipping_lines,
    trials_table,
)
from scenarios.studies.paper.experiment import Experiment, Report, Scope
from scenarios.studies.paper.hardware import loading, pickup
from scenarios.studies.paper.page import write_page
from scenarios.studies.paper.seeds import seeds
from scenarios.studies.paper.tipping import find_tipping_load
from scenarios.studies.paper.washing import washing
from wbmpc.robot import Robot

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


def reproduce(options: Reproduce) -> int:
    """Run everything that is missing, then write page, pictures and numbers."""
    scope, robot = _scope(options, options.seeds), _robot(options)
    experiments = [BUILDERS[key](scope) for key in _chosen(options)]
    lab = _lab(options)  # makes the folder: last
    plan = merged(_named(e) for e in experiments)
    lab.prepare(plan)
    out, parts = Path(options.out), []
    for experiment in experiments:
        parts.append((experiment, experiment.evaluate(lab, robot)))
    result = _result(parts, scope)
    printed = print_result(result, _text(parts), as_json=options.json)
    _write(out, parts, result, scope, lab)
    say(f"page: {out / 'index.html'}")
    return max(printed, _exit_code(parts))


def run_seeds(options: Seeds) -> int:
    """One scenario on several twins."""
    find_scenario(options.scenario)
    scope, robot = _scope(options, options.seeds), _robot(options)
    experiment = seeds(scope, [options.scenario])
    report = experiment.evaluate(_lab(options), robot)
    parts = [(experiment, report)]
    result = _result(parts, scope)
    printed = print_result(result, _text(parts), as_json=options.json)
    return max(printed, _exit_code(parts))


def run_tipping(options: Tipping) -> int:
    """Search the tip-over load with and without the estimator."""
    if not 0.05 <= options.tolerance <= 10.0:
        raise ScenarioError(
            f"--tolerance {options.tolerance:g}: must be between 0.05 and 10 kg"
        )
    scope = _scope(options, 1)
    _robot(options)
    lab = _lab(options)
    found = {}
    for name, estimator in (("without", NO_ESTIMATOR), ("with", DEFAULT_ESTIMATOR)):
        settings = scope.settings("balance", estimator=estimator, plant=options.plant)
        found[name] = find_tipping_load(
            settings, lab.run, tolerance_kg=options.tolerance
        )
    lines = tipping_lines(found)
    text = "\n\n".join(
        [lines_table("tipping", lines), trials_table(found), verdict(lines)]
    )
    return print_result(found, text, as_json=options.json)


def _scope(options: PaperOptions, count: int) -> Scope:
    if count < 1:
        raise ScenarioError(f"--seeds {count}: must be 1 or more")
    return Scope(
        quick=options.quick, seeds=count, robot=options.robot, overrides=options.set
    )


def _robot(options: PaperOptions) -> Robot:
    return Robot.load(options.robot, options.set)


def _lab(options: PaperOptions) -> Lab:
    if options.jobs < 1:
        raise ScenarioError(f"--jobs {options.jobs}: must be 1 or more")
    cache = RunCache(Path(options.out) / "finished", keep_old=options.keep_old)
    return Lab(cache, jobs=options.jobs, bars=Bars)


def _chosen(options: Reproduce) -> Sequence[str]:
    for key in options.only:
        if key not in BUILDERS:
            raise UnknownNameError("part", key, BUILDERS)
    if options.only:
        return options.only
    return [key for key in BUILDERS if key != "ablation" or not options.quick]


def _named(experiment: Experiment) -> dict[str, Any]:
    """Runs with names that are unique over experiments."""
    return {f"{experiment.key}: {n}": s for n, s in experiment.runs.items()}


def _draw(out: Path, report: Report) -> None:
    folder = out / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in report.figures.items():
        draw().savefig(folder / f"{name}.png", dpi=DPI)


def _result(parts: Sequence[tuple[Experiment, Report]], scope: Scope) -> dict[str, Any]:
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


def _write(
    out: Path,
    parts: Sequence[tuple[Experiment, Report]],
    result: Mapping[str, Any],
    scope: Scope,
    lab: Lab,
) -> None:
    """Pictures, page, JSON and text.

    Raises:
        UnwrittenError: They can not be written.
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
        (out / "tables.txt").write_text(_text(parts) + "\n", encoding="utf-8")
        write_page(out / "index.html", parts, pictures, _facts(scope, lab))
    except OSError as error:
        raise UnwrittenError(f"can not write into {out}: {error.strerror}") from None


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


def _text(parts: Sequence[tuple[Experiment, Report]]) -> str:
    blocks = []
    for experiment, report in parts:
        blocks.append(lines_table(experiment.title, report.lines))
        blocks += [f"{title}\n{table}" for title, table in report.tables.items()]
        blocks.append(verdict(report.lines))
    return "\n\n".join(blocks)


def _exit_code(parts: Sequence[tuple[Experiment, Report]]) -> int:
    fallen = [name for _, report in parts for name in report.fallen]
    for name in fallen:
        say(f"{name} ended badly: the robot fell")
    return EXIT_BAD_END if fallen else EXIT_OK
