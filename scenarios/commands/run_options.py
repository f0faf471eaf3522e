"""Options that `run` and `compare` share: a scenario, and all that can be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from models import robot_names
from models.errors import UnknownNameError
from scenarios.commands.command import Command
from scenarios.commands.doubts import tell_doubts
from scenarios.commands.options import (
    ArmFlag,
    Changes,
    Folder,
    Json,
    Kilograms,
    NoFiles,
    PlantFlag,
    RobotName,
    Seconds,
    told,
)
from scenarios.commands.output import say
from scenarios.errors import OutOfRangeError, ScenarioError
from scenarios.library.catalogue import defaults_text, find_scenario
from scenarios.library.run_settings import PAPER_ROBOT, default_load, run_settings

if TYPE_CHECKING:
    from scenarios.run.settings import PriorName, RunSettings
    from wbmpc.robot import Robot

PriorFlag = Literal["none", "inertia-only", "all"]
PRIOR_NAMES: dict[PriorFlag, PriorName] = {
    "none": "none",
    "inertia-only": "inertia_only",
    "all": "all",
}

Faults = Annotated[
    tyro.conf.UseAppendAction[tuple[str, ...]],
    tyro.conf.arg(metavar="CHANNEL:JOINT:KIND:AT:FOR"),
]


PUSH_AT_S = 8.0


class RunOptions(Command, frozen=True, kw_only=True):
    """Options of a run."""

    scenario: Annotated[
        str,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="SCENARIO", help=f"One of these: {defaults_text()}."),
    ]
    payload: Kilograms = None
    """Load on the forearm tip [kg] (default: the scenario's)."""
    payload_offset: Annotated[tuple[float, float, float], told("X Y Z")] = (
        0.0,
        0.0,
        0.0,
    )
    """Centre of the load from the tip, in the axes of the forearm's link [m]; the
    estimator is not told (default: at the tip)."""
    arm: Annotated[ArmFlag | None, told("{left,right,both}")] = None
    """Which forearm is loaded (default: the scenario's)."""
    at: Seconds = None
    """When the load appears [s] (default: the scenario's)."""
    remove_at: Seconds = None
    """When it is taken off again [s] (default: the scenario's)."""
    ramp: Seconds = None
    """Time over which the load grows [s] (default: the scenario's)."""
    duration: Seconds = None
    """Length of the run [s] (default: the scenario's)."""
    start: Annotated[tuple[float, float, float], told("FORWARD LEFT DEGREES")] = (
        0.0,
        0.0,
        0.0,
    )
    """Where the robot stands at the start [m], and how far it is turned to the left;
    all figures are as seen from there (default: home)."""
    push: Annotated[tuple[float, float] | None, told("FORWARD LEFT")] = None
    """Push at the pelvis, forward and to the left [N] (default: none)."""
    push_at: float = PUSH_AT_S
    """When the push starts [s]."""
    push_for: float = 0.1
    """How long it lasts [s]."""
    fault: Faults = ()
    """Read a joint's position, velocity or torque wrongly: nan, stuck, zero, noise or
    offset, from a time on for a while [s], such as torque:LEFT_ELBOW_Y:nan:5:1."""
    tare: float = 0.0
    """Length of the window before loading in which the estimator is tared [s]."""
    plant: PlantFlag = "clean"
    """Nominal physics, or those of a robot with its sensors and an estimated base."""
    no_friction_compensation: bool = False
    """Let low level and estimator know nothing of the twin's joint friction."""
    truth: bool = False
    """Control on the simulator's state on any plant (on the clean one it is anyway)."""
    estimator: Annotated[str | None, told("NAME")] = None
    """Who estimates the inertias: none, or a name of `wbmpc estimators` but batch
    (default: ekf_supervised)."""
    prior: PriorFlag = "inertia-only"
    """What the estimator keeps near nominal: nothing, the inertia's shape, or all."""
    robot: RobotName = "alexander"
    seed: int = 0
    """Seed of everything random."""
    set: Changes = ()
    """Change a setting of the robot, such as mpc.costs.torque.weight=1e-4."""
    json: Json = False
    out: Folder = None
    """Folder for the files, empty or new (default: runs/TIMESTAMP-SCENARIO-KIND)."""
    no_files: NoFiles = False

    def chosen_estimator(self) -> str:
        """Name of the estimator, or none.

        Raises:
            UnknownNameError: No such estimator.
        """
        from scenarios.run.estimators import ESTIMATORS
        from scenarios.run.settings import DEFAULT_ESTIMATOR, NO_ESTIMATOR

        name = DEFAULT_ESTIMATOR if self.estimator is None else self.estimator
        if name not in (NO_ESTIMATOR, *ESTIMATORS):
            raise UnknownNameError("estimator", name, (NO_ESTIMATOR, *ESTIMATORS))
        return name

    def refuse_idle(self, estimator: str, flag: str) -> None:
        """Options of a filter, a push or friction say nothing where there is none.

        Args:
            estimator: Its name, or none.
            flag: What it was chosen by.

        Raises:
            ScenarioError: One was given all the same.
        """
        from scenarios.run.settings import NO_ESTIMATOR

        if not is_filter(estimator):
            who = "the estimator" if estimator == NO_ESTIMATOR else "a filter"
            self._refuse(f"is for {who}; not with {flag}", "tare", "prior")
        if self.push is None:
            self._refuse("is for a push; give --push, too", "push_at", "push_for")
        if self.plant == "clean":
            why = (
                "is for --plant hardware_twin; on the clean plant there is nothing to "
                "compensate"
            )
            self._refuse(why, "no_friction_compensation")

    def _refuse(self, why: str, *names: str) -> None:
        """Refuse options that are not at their default.

        Raises:
            ScenarioError: One is not.
        """
        default = RunOptions(scenario=self.scenario)
        for name in names:
            if getattr(self, name) != getattr(default, name):
                raise ScenarioError(f"--{name.replace('_', '-')}: {why}")

    def settings(self, estimator: str, *, realtime: bool = False) -> RunSettings:
        """Checked settings of a run.

        Args:
            estimator: Its name, or none.
            realtime: Whether it runs against the wall clock.

        Raises:
            UnknownNameError: No such scenario.
            ScenarioError: A number out of range.
        """
        from scenarios.run.sensor_faults import parse_fault
        from scenarios.run.settings import Push, Start

        forward_m, left_m, turn_deg = self.start
        start = Start(forward_m=forward_m, left_m=left_m, turn_deg=turn_deg)
        push = None
        if self.push is not None:
            forward_N, left_N = self.push
            push = Push(
                at_s=self.push_at,
                duration_s=self.push_for,
                forward_N=forward_N,
                left_N=left_N,
            )
        try:
            return run_settings(
                self.scenario,
                start=start,
                push=push,
                faults=tuple(map(parse_fault, self.fault)),
                tare_s=self.tare,
                plant=self.plant,
                friction_compensation=not self.no_friction_compensation,
                truth=True if self.truth else None,
                robot=self.robot,
                payload_kg=self.payload,
                payload_offset_m=self.payload_offset,
                arm=self.arm,
                at_s=self.at,
                remove_at_s=self.remove_at,
                ramp_s=self.ramp,
                duration_s=self.duration,
                estimator=estimator,
                prior=PRIOR_NAMES[self.prior],
                seed=self.seed,
                realtime=realtime,
                overrides=self.set,
            )
        except OutOfRangeError as error:
            if error.option != "push-at" or self.push_at != PUSH_AT_S:
                raise
            raise ScenarioError(  # nobody said when
                f"--duration {error.high:g}: ends before the push comes, at "
                f"{PUSH_AT_S:g} s; give an earlier --push-at, or a longer --duration"
            ) from None

    def tell_load(self, settings: RunSettings) -> None:
        """Say what load suits a robot but the paper's; warn of one beyond it.

        Warn of costs whose weight leaves nothing of the others, too.
        """
        from scenarios.run.cost_doubts import weight_doubts
        from wbmpc.settings import load_settings

        if settings.overrides or settings.robot not in robot_names():
            for doubt in weight_doubts(
                load_settings(settings.robot, settings.overrides)
            ):
                say(doubt.sentence())
        if self.payload is None and settings.robot != PAPER_ROBOT:
            say(default_load(settings).sentence(settings.robot))
            return
        papers_kg = find_scenario(settings.scenario).defaults.payload_kg
        papers = settings.robot == PAPER_ROBOT and not settings.overrides
        if settings.payload_kg > (papers_kg if papers else 0.0):
            load = default_load(settings)
            warning = load.warning(settings.robot, settings.payload_kg)
            if warning is not None:
                say(warning)


def is_filter(estimator: str) -> bool:
    """Whether an estimator takes a prior and a tare."""
    from scenarios.run.estimators import ESTIMATORS

    return estimator in ESTIMATORS and ESTIMATORS[estimator].is_filter


def load_robot(settings: RunSettings) -> Robot:
    """Find scenario and robot before anything starts; say what is doubtful.

    Raises:
        ModelsError: Unknown scenario, robot or settings key, or an unusable URDF.
    """
    from scenarios.run.estimator_settings import checked_robot
    from scenarios.run.sensor_faults import check_joints

    find_scenario(settings.scenario)
    robot = checked_robot(settings.robot, settings.overrides)
    check_joints(settings.faults, robot.joint_names)
    tell_doubts(robot.urdf_path)
    tell_native()
    return robot


def tell_native() -> None:
    """Say why the native part is missing, if it is: a run is then much slower."""
    from wbmpc import native

    if not native.AVAILABLE:
        say(f"{native.REASON}; the run gives the same results, slower")
