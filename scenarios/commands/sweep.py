"""`wbmpc sweep`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import tyro

from scenarios.commands.command import Command
from scenarios.commands.options import (
    ALL_CORES,
    Json,
    KeepOld,
    ResultsFolder,
    check_jobs,
    told,
)
from scenarios.commands.output import print_result, say
from scenarios.commands.paper_options import KEPT
from scenarios.errors import ScenarioError
from scenarios.exit_codes import EXIT_BAD_END, EXIT_OK
from scenarios.interrupts import ending_at_once
from scenarios.library.catalogue import defaults_text, find_scenario

if TYPE_CHECKING:
    from scenarios.sweep.plan import Plan
    from scenarios.sweep.store import Store
    from scenarios.sweep.summary import SweepResult
    from scenarios.sweep.sweep import State
    from scenarios.workers.crew import Crew

Values = Annotated[str | None, told("LIST")]
Lists = Annotated[
    tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(metavar="KEY=LIST")
]


class Sweep(Command, frozen=True, kw_only=True):
    """Run a scenario with every combination of values; one table of all runs.

    A LIST has commas, as in 1,2.5,5; numbers may be FROM:TO or FROM:TO:STEP, without
    TO. Can be stopped and started again: what is finished is not run twice.
    """

    kept: ClassVar[str] = KEPT

    scenario: Annotated[
        str,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="SCENARIO", help=f"One of these: {defaults_text()}."),
    ]
    out: ResultsFolder = "runs/sweep"
    payload: Values = None
    """Loads on the forearm tip [kg] (default: the scenario's)."""
    payload_offset: Annotated[str | None, told("X:Y:Z,...")] = None
    """Where the load is in the tip's frame [m] (default: at the tip)."""
    payload_offset_sd: Annotated[float | None, told("M")] = None
    """Draw that place for each seed, normal on each axis, with this deviation [m]."""
    arm: Values = None
    """Loaded forearms: left, right, both (default: the scenario's)."""
    seed: Values = None
    """Seeds of everything random, such as 0:20 (default: 0)."""
    at: Values = None
    """When the load appears [s] (default: the scenario's)."""
    remove_at: Values = None
    """When it is taken off again [s] (default: the scenario's)."""
    ramp: Values = None
    """Time over which the load grows [s] (default: the scenario's)."""
    duration: Values = None
    """Lengths of the run [s] (default: the scenario's)."""
    plant: Values = None
    """clean, hardware_twin (default: clean)."""
    ideal: Values = None
    """Imperfections of the twin that are left out, one at a time; none for none."""
    estimator: Values = None
    """Who estimates the inertias: none, or names of `wbmpc estimators` but batch."""
    prior: Values = None
    """What the estimator keeps near nominal: none, inertia-only, all."""
    tare: Values = None
    """Lengths of the window before loading in which the estimator is tared [s]."""
    base_estimator: Values = None
    """Where the base's state comes from on the twin: contact_ekf, fixed_feet."""
    start: Annotated[str | None, told("FORWARD:LEFT:DEGREES,...")] = None
    """Where the robot stands at the start [m], and how far it is turned."""
    push: Annotated[str | None, told("FORWARD:LEFT,...")] = None
    """Pushes at the pelvis [N]; none for none."""
    push_at: Values = None
    """When they start [s] (default: 8)."""
    push_for: Values = None
    """How long they last [s] (default: 0.1)."""
    fault: Annotated[str | None, told("CHANNEL:JOINT:KIND:AT:FOR,...")] = None
    """Faults of a joint's sensor, as in `wbmpc run`; none for none."""
    robot: Values = None
    """Shipped robots, or their settings.toml (default: alexander)."""
    set: Lists = ()
    """Values of a setting of the robot, such as mpc.costs.torque.weight=1e-4,1e-3."""
    jobs: Annotated[int | None, told("INT")] = None
    """Workers on this machine (default: one for each core that may be used)."""
    scheduler: Annotated[str | None, told("ADDRESS")] = None
    """Run on the workers of a running Dask cluster, such as tcp://node7:8786."""
    scheduler_file: Annotated[str | None, told("FILE")] = None
    """The same, by the file that `dask scheduler --scheduler-file` wrote."""
    shard: Annotated[str | None, told("I/N")] = None
    """Only part I, from 0, of N equal ones: for job arrays."""
    retry_failed: bool = False
    """Run those that failed once more; without it they stay failed."""
    max_failures: Annotated[int | None, told("INT")] = None
    """Start no more runs after so many have failed (default: never)."""
    keep_old: KeepOld = False
    no_records: bool = False
    """Keep rows only, not the runs tick by tick, of which logs can be made."""
    dry_run: bool = False
    """Say how many runs that is, how long they take, how much disk; run nothing."""
    json: Json = False

    def act(self) -> int:
        """Make a plan, run what is missing of it, write the table."""
        with ending_at_once():
            from scenarios.sweep.plan import make_plan, parse_shard
            from scenarios.sweep.store import Store
            from scenarios.sweep.sweep import state_of
        find_scenario(self.scenario)
        self._check()
        axes = self._axes()
        plan = make_plan(self.scenario, axes, self._offsets(axes))
        if self.shard is not None:
            plan = plan.shard(*parse_shard(self.shard))
        store = Store(Path(self.out))
        state = state_of(
            plan, store, retry_failed=self.retry_failed, keep_old=self.keep_old
        )
        if self.dry_run:
            return self._estimate(plan, state)
        store.prepare()
        return self._run(plan, store, state)

    def _check(self) -> None:
        """Refuse what cannot be meant.

        Raises:
            ScenarioError: An option that says nothing with another one.
        """
        where = {
            "--jobs": self.jobs,
            "--scheduler": self.scheduler,
            "--scheduler-file": self.scheduler_file,
        }
        given = [name for name, value in where.items() if value is not None]
        if len(given) > 1:
            raise ScenarioError(f"{given[1]}: not with {given[0]}")
        if self.jobs is not None:
            check_jobs(self.jobs)
        if self.max_failures is not None and self.max_failures < 1:
            raise ScenarioError(
                f"--max-failures {self.max_failures}: must be 1 or more"
            )
        path = Path(self.out)
        if path.exists() and not path.is_dir():
            raise ScenarioError(f"--out {self.out}: is a file")

    def _axes(self) -> dict[str, tuple[Any, ...]]:
        from scenarios.sweep.axes import READERS, axes_of

        names = (*READERS, "push", "push-at", "push-for")
        asked = {name: getattr(self, name.replace("-", "_")) for name in names}
        return axes_of(asked, self.set)

    def _offsets(
        self, axes: dict[str, tuple[Any, ...]]
    ) -> dict[int, tuple[float, float, float]] | None:
        """Places of the load by seed, if they shall be drawn.

        Raises:
            ScenarioError: They are given, too, or cannot be.
        """
        from scenarios.sweep.axes import offsets

        if self.payload_offset_sd is None:
            return None
        if self.payload_offset is not None:
            raise ScenarioError("--payload-offset: not with --payload-offset-sd")
        return offsets(self.payload_offset_sd, axes.get("seed", (0,)))

    def _estimate(self, plan: Plan, state: State) -> int:
        from scenarios.sweep.estimate import estimate

        found = estimate(
            [run.settings for run in state.missing],
            list(state.references.values()),
            workers=self.jobs or ALL_CORES,
            keep_records=not self.no_records,
        )
        text = (
            f"{plan.asked} combinations, {len(plan.runs)} different runs, "
            f"{len(plan.runs) - len(state.missing)} of them finished\n"
            f"{found.runs} runs to make, {found.references} of them unloaded "
            f"references: {found.simulated_s:g} s simulated\n"
            f"about {clock(found.wall_s)} with {found.workers} workers on cores like "
            f"these, and {found.disk_mb:.3g} MB of disk"
        )
        return print_result(found, text, as_json=self.json)

    def _run(self, plan: Plan, store: Store, state: State) -> int:
        from scenarios.commands.sweep_progress import SweepProgress
        from scenarios.sweep.summary import finish, summarise, write_plan
        from scenarios.sweep.sweep import Sweep as SweepInProgress

        write_plan(store, plan, self.scenario)
        self._tell(plan, state)
        made = 0
        try:
            if state.missing:
                with self._crew(len(state.missing)) as crew:
                    if crew.dashboard is not None:
                        say(f"dashboard: {crew.dashboard}")
                    with SweepProgress(state, say) as watcher:
                        SweepInProgress(
                            plan=plan,
                            store=store,
                            state=state,
                            watcher=watcher,
                            keep_records=not self.no_records,
                            most_failures=self.max_failures,
                        ).run(crew)
                        made = watcher.made
        finally:
            table = finish(store, say, page=made > 0)
        result = summarise(plan, store, table, made=made)
        say(f"table: {store.folder / 'runs.csv'}")
        printed = print_result(result, result.text(), as_json=self.json)
        return max(printed, _verdict(result))

    def _tell(self, plan: Plan, state: State) -> None:
        found = len(plan.runs) - len(state.missing)
        say(
            f"runs: {len(plan.runs)}, finished before: {found}, to make: "
            f"{len(state.missing)}, unloaded references: {len(state.references)}"
        )
        if state.other_program:
            say(
                f"{state.other_program} finished runs are of another version of the "
                "program and are made again; --keep-old takes them"
            )

    @contextlib.contextmanager
    def _crew(self, runs: int) -> Iterator[Crew]:
        from scenarios.workers.cluster import local_crew, remote_crew

        if self.scheduler is not None or self.scheduler_file is not None:
            file = None if self.scheduler_file is None else Path(self.scheduler_file)
            with remote_crew(address=self.scheduler, file=file, say=say) as crew:
                yield crew
            return
        with local_crew(min(self.jobs or ALL_CORES, runs), say=say) as crew:
            yield crew


def _verdict(result: SweepResult) -> int:
    """Exit code: bad if a run failed, fell or is missing; says how many."""
    bad = {
        "failed": result.failed,
        "fell": result.fell,
        "not run": result.missing,
    }
    told = [f"{count} {how}" for how, count in bad.items() if count]
    if not told:
        return EXIT_OK
    say(f"ended badly: {', '.join(told)} of {result.runs}")
    return EXIT_BAD_END


def clock(seconds: float) -> str:
    """A duration in words."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes / 60:.1f} h"
