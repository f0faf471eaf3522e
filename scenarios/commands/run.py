"""`wbmpc run`."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from tqdm import tqdm

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
from scenarios.commands.doubts import tell_doubts
from scenarios.errors import ScenarioError
from scenarios.interrupts import ending_at_once
from scenarios.records.run_folder import asked_path

if TYPE_CHECKING:
    from scenarios.records.record import RunRecord
    from scenarios.report.meshcat_view import LiveViewer
    from scenarios.run.settings import RunSettings
    from wbmpc.robot import Robot


class Run(RunOptions, frozen=True, kw_only=True):
    """Run one scenario in simulation."""

    no_ekf: bool = False
    """Leave the inertias nominal: short for --estimator none."""
    no_twin: bool = False
    """Skip the unloaded run that tip errors are measured against."""
    meshcat: bool = False
    """Show the robot in a browser while it runs."""
    realtime: bool = False
    """Run against the wall clock, in two processes, instead of in lock-step."""

    def act(self) -> int:
        """Run a scenario, and its unloaded twin for the tip errors."""
        with ending_at_once():
            from scenarios.report.evaluation import evaluate, evaluation_text
            from scenarios.report.run_files import run_key, write_run_files
        estimator = self.chosen_estimator()
        flag = "--no-ekf" if self.no_ekf else f"--estimator {estimator}"
        self.refuse_idle(estimator, flag)
        settings = self.settings(estimator, realtime=self.realtime)
        robot = load_robot(settings)
        self.tell_load(settings)
        kind = "run" if settings.has_estimator else "run-no-ekf"
        path = asked_path(self, f"{self.scenario}-{kind}")
        record, twin = self._records(settings, robot)
        metrics = evaluate(record, robot, twin)
        text = evaluation_text(metrics)
        printed = print_result(metrics, text, as_json=self.json)
        records = {} if twin is None else {"unloaded": twin}
        records[run_key(settings)] = record
        fill = partial(
            write_run_files, robot=robot, result=metrics, text=text, records=records
        )
        return max(printed, leave_folder(path, fill), verdict({"run": metrics}))

    def chosen_estimator(self) -> str:
        """Name of the estimator, or none.

        Raises:
            ScenarioError: One and none are both asked for.
            UnknownNameError: No such estimator.
        """
        from scenarios.run.settings import NO_ESTIMATOR

        if not self.no_ekf:
            return super().chosen_estimator()
        if self.estimator not in (None, NO_ESTIMATOR):
            raise ScenarioError(f"--estimator {self.estimator}: not with --no-ekf")
        return NO_ESTIMATOR

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
    tell_doubts(read_description(robot.urdf_path))
    return robot


def tell_load(options: RunOptions, settings: RunSettings) -> None:
    """Say what load suits a robot that is not the paper's; warn of one beyond it."""
    if options.payload is None and settings.robot != PAPER_ROBOT:
        say(default_load(settings).sentence(settings.robot))
        return
    papers_kg = find_scenario(settings.scenario).defaults.payload_kg
    papers = settings.robot == PAPER_ROBOT and not settings.overrides
    if settings.payload_kg > (papers_kg if papers else 0.0):
        load = default_load(settings)
        warning = load.warning(settings.robot, settings.payload_kg)
        if warning is not None:
            say(warning)


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
    from scenarios.report.meshcat_view import write_animation
    from scenarios.report.plots import run_figures

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
        self._reached[name] = time_s
        # Set, not added to: a sum of steps ends a rounding error beyond the total.
        self._bar.n = min(sum(self._reached.values()), self._bar.total)
        self._bar.update(0.0)


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

    def _viewer(
        self, robot: Robot
    ) -> contextlib.AbstractContextManager[LiveViewer | None]:
        """Context of the live view, or of nothing."""
        if not self.meshcat:
            return contextlib.nullcontext()
        from scenarios.report.meshcat_view import LiveViewer

        return LiveViewer(robot.settings)
