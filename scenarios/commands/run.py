"""What `wbmpc run` and `wbmpc compare` do."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from models.description.check import DOUBTS, check_description
from models.description.reading import read_description
from scenarios.cli import (
    EXIT_BAD_END,
    EXIT_OK,
    Compare,
    Run,
    RunOptions,
    print_result,
    say,
    tell_folder,
)
from scenarios.errors import ScenarioError
from scenarios.library.catalogue import find_scenario
from scenarios.library.run_settings import PAPER_ROBOT, default_load, run_settings
from scenarios.records.record import RunRecord
from scenarios.records.run_folder import RunFolder, asked_path
from scenarios.records.versions import installed_versions
from scenarios.report.evaluation import (
    evaluate,
    evaluation_text,
    experiment_figures,
    twin_of,
)
from scenarios.report.metrics.results import RunMetrics
from scenarios.run.batch import Progress, run_all, run_here
from scenarios.run.sensor_faults import check_joints, parse_fault
from scenarios.run.settings import PriorName, Push, RunSettings
from scenarios.studies.comparison import (
    Comparison,
    ComparisonRuns,
    compare,
    gather,
    plan_runs,
)
from scenarios.studies.comparison_table import comparison_table
from wbmpc.robot import Robot

if TYPE_CHECKING:
    from scenarios.report.meshcat_view import LiveViewer

PRIOR_NAMES: dict[str, PriorName] = {
    "none": "none",
    "inertia-only": "inertia_only",
    "all": "all",
}


def run_scenario(options: Run) -> int:
    """Run one scenario, and its unloaded twin for the tip errors."""
    _refuse_idle_options(options)
    settings = resolve(options, estimator=not options.no_ekf)
    robot = check(settings)
    tell_load(options, settings)
    kind = "run" if settings.estimator else "run-no-ekf"
    path = asked_path(options, f"{options.scenario}-{kind}")
    record, twin = _run_with_twin(options, settings, robot)
    metrics = evaluate(record, robot, twin)
    records = {"unloaded": twin} if twin is not None else {}
    records[run_key(settings)] = record
    text = evaluation_text(metrics)
    printed = print_result(metrics, text, as_json=options.json)
    saved = save(path, robot, metrics, text, records)
    return max(printed, saved, verdict({"run": metrics}))


def _refuse_idle_options(options: RunOptions) -> None:
    """Options of an estimator, a push or friction say nothing where there is none.

    Raises:
        ScenarioError: One was given all the same.
    """
    default = RunOptions(scenario=options.scenario)
    if isinstance(options, Run) and options.no_ekf:
        for name in ("tare", "prior"):
            if getattr(options, name) != getattr(default, name):
                raise ScenarioError(
                    f"--{name}: is for the estimator; not with --no-ekf"
                )
    for name in ("push_at", "push_for"):
        if options.push is None and getattr(options, name) != getattr(default, name):
            flag = name.replace("_", "-")
            raise ScenarioError(f"--{flag}: is for a push; give --push, too")
    if options.no_friction_compensation and options.plant == "clean":
        raise ScenarioError(
            "--no-friction-compensation: is for --plant hardware_twin; on the clean "
            "plant there is nothing to compensate"
        )


def compare_scenario(options: Compare) -> int:
    """Run a scenario unloaded, without and with estimator, and compare."""
    _refuse_idle_options(options)
    if options.jobs < 1:
        raise ScenarioError(f"--jobs {options.jobs}: must be 1 or more")
    settings = resolve(options, estimator=True)
    robot = check(settings)
    tell_load(options, settings)
    path = asked_path(options, f"{options.scenario}-compare")
    plan = plan_runs(settings, priors=options.priors)
    with Bars(plan) as bars:
        records = run_all(plan, jobs=options.jobs, progress=bars.show)
    runs = gather(records)
    result = compare(runs, robot)
    text = comparison_table(result)
    printed = print_result(result, text, as_json=options.json)
    saved = save(path, robot, result, text, records)
    return max(printed, saved, verdict(_judged(result, runs)))


def resolve(options: RunOptions, *, estimator: bool) -> RunSettings:
    """Checked settings of a run.

    Raises:
        UnknownNameError: No such scenario.
        ScenarioError: A number out of range.
    """
    push = None
    if options.push is not None:
        forward_N, left_N = options.push
        push = Push(
            at_s=options.push_at,
            duration_s=options.push_for,
            forward_N=forward_N,
            left_N=left_N,
        )
    return run_settings(
        options.scenario,
        push=push,
        faults=tuple(map(parse_fault, options.fault)),
        tare_s=options.tare,
        plant=options.plant,
        friction_compensation=not options.no_friction_compensation,
        truth=True if options.truth else None,
        robot=options.robot,
        payload_kg=options.payload,
        arm=options.arm,
        at_s=options.at,
        remove_at_s=options.remove_at,
        ramp_s=options.ramp,
        duration_s=options.duration,
        estimator=estimator,
        prior=PRIOR_NAMES[options.prior],
        seed=options.seed,
        realtime=isinstance(options, Run) and options.realtime,
        overrides=options.set,
    )


def check(settings: RunSettings) -> Robot:
    """Find scenario and robot before anything starts.

    Raises:
        ModelsError: Unknown scenario, robot or settings key, or an unusable URDF.
    """
    find_scenario(settings.scenario)
    robot = Robot.load(settings.robot, settings.overrides)
    check_joints(settings.faults, robot.joint_names)
    _tell_doubts(robot)
    return robot


def _tell_doubts(robot: Robot) -> None:
    """Say in one line what a run uses although it may be a placeholder, or lacks."""
    found = check_description(read_description(robot.urdf_path), DOUBTS)
    if found.warnings:
        more = len(found.warnings) - 1
        rest = f" (and {more} more: wbmpc check {robot.urdf_path})" if more else ""
        say(f"{found.file}: {found.warnings[0].sentence()}{rest}")


def tell_load(options: RunOptions, settings: RunSettings) -> None:
    """Say what load suits a robot that is not the paper's, and what limits it."""
    if options.payload is None and settings.robot != PAPER_ROBOT:
        say(default_load(settings).sentence(settings.robot))


def run_key(settings: RunSettings) -> str:
    """Name of a run in plots and files."""
    return "with_estimator" if settings.estimator else "without_estimator"


def save(
    path: Path | None,
    robot: Robot,
    result: RunMetrics | Comparison,
    text: str,
    records: Mapping[str, RunRecord],
) -> int:
    """Write the run folder, if any, and say where it is, or what is not there.

    Returns:
        Exit code: bad if something could not be written.
    """
    if path is None:
        return EXIT_OK
    from scenarios.records.mcap_log import write_log
    from scenarios.report.plots import run_figures
    from scenarios.report.replay_page import write_animation

    shown = records.get("with_estimator", records.get("without_estimator"))
    assert shown is not None
    other = records.get("without_estimator") if shown.settings.estimator else None
    with RunFolder(path) as folder:
        folder.write_json("metrics.json", result)
        folder.write_text("table.txt", text + "\n")
        settings = {"run": shown.settings, "robot": robot.settings}
        folder.write_json("settings.json", settings)
        folder.write_json("versions.json", installed_versions())
        for key, record in records.items():
            name = "log.mcap" if record is shown else f"log-{key}.mcap"
            folder.write(name, lambda p, r=record: write_log(p, r))  # type: ignore[misc]
        folder.write("replay.html", lambda p: write_animation(p, robot, shown, other))
        folder.draw(run_figures(robot, records))
        folder.draw(experiment_figures(robot, records))
    return tell_folder(folder, path)


def verdict(judged: Mapping[str, RunMetrics]) -> int:
    """Exit code of what was run; says how a run ended badly."""
    fallen = {name: m for name, m in judged.items() if m.fell}
    for name, metrics in fallen.items():
        last = metrics.events[-1] if metrics.events else "the robot fell"
        say(f"{name} ended badly: {last}")
    return EXIT_BAD_END if fallen else EXIT_OK


class Bars:
    """One progress bar over the simulated time of several runs."""

    def __init__(self, runs: Mapping[str, RunSettings]) -> None:
        """Prepare a bar for runs by name."""
        self._reached = dict.fromkeys(runs, 0.0)
        total = sum(settings.duration_s for settings in runs.values())
        tqdm.monitor_interval = 0  # no thread of tqdm's own
        self._bar = tqdm(
            total=round(total, 3),
            unit="s",
            file=sys.stderr,
            leave=False,
            mininterval=0.1 if sys.stderr.isatty() else 2.0,
            bar_format="{desc} {percentage:3.0f}% |{bar}| {n:.1f}/{total:g} s "
            "simulated, {elapsed} elapsed",
        )

    def __enter__(self) -> Bars:
        """Show the bar."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        self._bar.close()

    def show(self, name: str, time_s: float) -> None:
        """Advance one run."""
        self._bar.set_description_str(name, refresh=False)
        self._bar.update(time_s - self._reached[name])
        self._reached[name] = time_s


def _run_with_twin(
    options: Run, settings: RunSettings, robot: Robot
) -> tuple[RunRecord, RunRecord | None]:
    plan = {"run": settings}
    twin_settings = None if options.no_twin else twin_of(settings)
    if twin_settings is not None:
        plan = {"unloaded twin": twin_settings, **plan}
    with _viewer(options, robot) as viewer, Bars(plan) as bars:
        twin = None
        if "unloaded twin" in plan:
            twin = run_here("unloaded twin", plan["unloaded twin"], bars.show)
        record = _run(settings, bars.show, viewer)
        return record, twin


def _run(
    settings: RunSettings, progress: Progress, viewer: LiveViewer | None
) -> RunRecord:
    from scenarios.run.runner import run

    return run(settings, on_tick=lambda t: progress("run", t), viewer=viewer)


def _viewer(options: Run, robot: Robot) -> Any:
    """Context of the live view, or of nothing."""
    import contextlib

    if not options.meshcat:
        return contextlib.nullcontext()
    from scenarios.report.meshcat_view import LiveViewer

    return LiveViewer(robot.settings)


def _judged(result: Comparison, runs: ComparisonRuns) -> dict[str, RunMetrics]:
    """Runs that must stand; falling without the estimator is a result."""
    judged = {"unloaded": result.unloaded, "with estimator": result.with_estimator}
    judged |= {f"prior {n}": m for n, m in result.priors.items() if n in runs.priors}
    return judged
