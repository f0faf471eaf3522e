"""A scenario: one object, in one file.

A scenario of one's own takes a name, a line of words and a motion:

    SCENARIO = Scenario(name="wave", summary="wave with both arms", motion=wave)
    register(SCENARIO)  # of scenarios.library.catalogue
    record = run(run_settings("wave", payload_kg=2.0))

Everything else has a default. In this folder a file is found without being registered.

Help texts list every scenario with its defaults, and have to be there at once: numpy
takes 0.1 s to import, pinocchio 0.2 s, matplotlib 0.4 s. So a scenario's file imports
none of them at its top, nor what does (`teleop`, `wbmpc`, records, metrics, plots):
types come under `TYPE_CHECKING`, the rest in the functions that use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from scenarios.errors import ScenarioError
from scenarios.library.loads.schedule import LoadEvent, single_load

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from scenarios.records.record import RunRecord
    from scenarios.report.figure_style import Records
    from scenarios.report.paper import PublishedComparison
    from scenarios.report.scoreboard import Line
    from scenarios.run.settings import Arm, RunSettings
    from teleop.reference_track import ReferenceTrack
    from wbmpc.robot import Robot

    Figures = dict[str, Callable[[], Figure]]
    Measure = Callable[[RunRecord, Robot, RunRecord | None], msgspec.Struct]


class Defaults(msgspec.Struct, frozen=True, kw_only=True):
    """Defaults of a run; each is a field of `RunSettings`."""

    payload_kg: float = 5.0
    """On each loaded arm of the paper's robot; others get as much by weight, or what
    their arms can hold."""
    arm: Arm = "left"
    at_s: float = 3.0
    remove_at_s: float | None = None
    ramp_s: float = 0.0
    duration_s: float = 12.0


def unloaded(settings: RunSettings) -> RunSettings:
    """The same motion without load and without estimator.

    Tip errors are measured against it: a path that does not depend on what is judged.
    """
    from scenarios.run.settings import NO_ESTIMATOR

    return msgspec.structs.replace(
        settings, payload_kg=0.0, estimator=NO_ESTIMATOR, faults=()
    )


def unloaded_replay(settings: RunSettings) -> RunSettings:
    """The same references without load, everything else alike."""
    return msgspec.structs.replace(settings, payload_kg=0.0, faults=())


def line_per_field(measured: Any) -> Iterable[Line]:
    """A row for each number, of the name it has without its unit."""
    from scenarios.report.scoreboard import field_line

    for key, value in msgspec.structs.asdict(measured).items():
        if value is None or isinstance(value, (int, float)):
            yield field_line(measured, key, key.rpartition("_")[0].replace("_", " "))


def no_figures(robot: Robot, records: Records) -> Figures:
    """No pictures beyond those of every run."""
    del robot, records
    return {}


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A task of the robot, and how a run of it is judged and shown.

    Attributes:
        name: In the command line and in file names.
        summary: One line.
        motion: References for a robot and a duration [s].
        defaults: Of its runs.
        quick: Fields of `RunSettings` that shorten a run to what its figures need.
        loads: Schedule of what the forearms hold.
        twin: Settings of the run a loaded one is compared with; None for none.
        measures: Its own figures of a run, given its robot and its twin; None for none.
        lines: Table rows of those figures, beside the paper's and our goals; by default
            one for each number.
        figures: Its own pictures of some runs by file name, each drawn when asked for.
            The runs are `unloaded`, `without_estimator`, `with_estimator`: those there
            are, with one of the last two at least.
        published: The paper's figures of a comparison without and with the estimator.

    Raises:
        ScenarioError: On construction, for a name that no file can have.
    """

    name: str
    summary: str
    motion: Callable[[Robot, float], ReferenceTrack]
    defaults: Defaults = Defaults()
    quick: Mapping[str, float] = field(default_factory=dict)
    loads: Callable[[RunSettings], tuple[LoadEvent, ...]] = single_load
    twin: Callable[[RunSettings], RunSettings] | None = unloaded
    measures: Measure | None = None
    lines: Callable[[Any], Iterable[Line]] = line_per_field
    figures: Callable[[Robot, Records], Figures] = no_figures
    published: PublishedComparison | None = None

    def __post_init__(self) -> None:
        """Check the name."""
        if not self.name.isidentifier():
            raise ScenarioError(
                f"scenario {self.name!r}: the name must be letters, digits and "
                "underscores, no digit first"
            )
