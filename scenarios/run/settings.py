"""Settings of a run of a scenario, checked before anything starts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from scenarios.errors import OutOfRangeError
from scenarios.run.sensor_faults import SensorFault

if TYPE_CHECKING:
    from wbmpc.control.stance_frame import StanceFrame

MAX_PAYLOAD_KG = 100.0
"""More than any robot here weighs; a larger number is a mistake."""

MAX_OFFSET_M = 2.0
"""Of a load from the tip; nobody holds one farther away."""

MAX_PUSH_N = 2000.0

NO_ESTIMATOR = "none"
DEFAULT_ESTIMATOR = "ekf_supervised"

Arm = Literal["left", "right", "both"]
PriorName = Literal["none", "inertia_only", "all"]
PlantName = Literal["clean", "hardware_twin"]
BaseEstimatorName = Literal["contact_ekf", "fixed_feet"]


class Push(msgspec.Struct, frozen=True, kw_only=True):
    """A push at the root link with a constant force.

    Raises:
        ScenarioError: On construction, for a number out of range.
    """

    at_s: float
    duration_s: float = 0.1
    forward_N: float = 0.0
    left_N: float = 0.0

    def __post_init__(self) -> None:
        """Check ranges."""
        _in_range("push-at", self.at_s, 0.0, 3600.0, "s")
        _in_range("push-for", self.duration_s, 1e-3, 60.0, "s")
        for force in (self.forward_N, self.left_N):
            _in_range("push", force, -MAX_PUSH_N, MAX_PUSH_N, "N")

    def describe(self) -> str:
        """The push in words."""
        return (
            f"push of {self.forward_N:g} N forward, {self.left_N:g} N to the left "
            f"for {self.duration_s:g} s"
        )


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """Where a robot stands at the start, from home."""

    forward_m: float = 0.0
    left_m: float = 0.0
    turn_deg: float = 0.0
    """To the left."""

    def __post_init__(self) -> None:
        """Check ranges."""
        for name in ("forward_m", "left_m"):
            _in_range(f"start: {name[:-2]}", getattr(self, name), -1e3, 1e3, "m")
        _in_range("start: turn", self.turn_deg, -360.0, 360.0, "degrees")

    def frame(self) -> StanceFrame:
        """The home frame there."""
        from wbmpc.control.stance_frame import StanceFrame

        place = np.array([self.forward_m, self.left_m, 0.0])
        return StanceFrame(position_m=place, yaw_rad=np.radians(self.turn_deg))


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Raises:
        ScenarioError: On construction, for a number out of range.
    """

    scenario: str = "window_washing"
    robot: str = "alexander"
    payload_kg: float = 5.0
    """Load put on the forearm tip; 0 for an unloaded run."""
    payload_offset_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Centre of the load from the tip, in the forearm's link axes; nobody tells the
    estimator."""
    arm: Arm = "left"
    at_s: float = 3.0
    """When the load appears."""
    remove_at_s: float | None = None
    """When it is taken off again."""
    ramp_s: float = 0.0
    """Time over which the load grows."""
    duration_s: float = 12.0
    estimator: str = DEFAULT_ESTIMATOR
    """Name among `scenarios.run.estimators.ESTIMATORS`, or `none`."""
    prior: PriorName = "inertia_only"
    """Channels the fictitious measurement pins (Table V)."""
    seed: int = 0
    plant: PlantName = "clean"
    """Nominal physics and perfect sensors, or a robot's imperfections (seeded)."""
    ideal: tuple[str, ...] = ()
    """Imperfections of the plant to leave out, by name, to see what each costs."""
    friction_compensation: bool = True
    """Use what the robot file knows of joint friction, where the plant has any."""
    truth: bool | None = None
    """Control on the simulator's state instead of an estimate of the base; by default
    on the clean plant only."""
    base_estimator: BaseEstimatorName = "contact_ekf"
    """Where the base's state comes from unless it is the simulator's."""
    start: Start = msgspec.field(default_factory=Start)
    """Where the robot stands; a run's record is as seen from there."""
    push: Push | None = None
    """A push at the root link."""
    faults: tuple[SensorFault, ...] = ()
    """Faults of joint sensors."""
    tare_s: float = 0.0
    """Length of the window before loading over which the estimator, held at nominal,
    averages the torque residual; what is found is taken off from then on. 0: none."""
    realtime: bool = False
    """Against the wall clock, in two processes, instead of in lock-step."""
    overrides: tuple[str, ...] = ()
    """`key.path=value` changes of the robot's settings."""

    def __post_init__(self) -> None:
        """Check ranges."""
        _in_range("payload", self.payload_kg, 0.0, MAX_PAYLOAD_KG, "kg")
        for offset_m in self.payload_offset_m:
            _in_range("payload-offset", offset_m, -MAX_OFFSET_M, MAX_OFFSET_M, "m")
        _in_range("seed", self.seed, 0, 2**32 - 1, "")
        _in_range("duration", self.duration_s, 0.1, 3600.0, "s")
        _in_range("at", self.at_s, 0.0, self.duration_s, "s")
        _in_range("ramp", self.ramp_s, 0.0, 3600.0, "s")
        if self.push is not None:
            _in_range("push-at", self.push.at_s, 0.0, self.duration_s, "s")
        for fault in self.faults:
            _in_range("fault: AT", fault.at_s, 0.0, self.duration_s, "s")
        _in_range("tare", self.tare_s, 0.0, self.at_s, "s")
        if self.remove_at_s is not None:
            _in_range("remove-at", self.remove_at_s, self.at_s, self.duration_s, "s")

    @property
    def has_estimator(self) -> bool:
        """Whether anybody estimates inertias."""
        return self.estimator != NO_ESTIMATOR

    @property
    def uses_truth(self) -> bool:
        """Whether the controller sees the simulator's state."""
        return self.plant == "clean" if self.truth is None else self.truth


def read_settings(fields: dict[str, Any]) -> RunSettings:
    """Settings of a run as JSON has them, in today's form or an earlier one.

    Raises:
        msgspec.ValidationError: They never were settings of a run.
        ScenarioError: A number out of range.
    """
    estimator = fields.get("estimator")
    if isinstance(estimator, bool):  # until estimators had names
        name = DEFAULT_ESTIMATOR if estimator else NO_ESTIMATOR
        fields = fields | {"estimator": name}
    return msgspec.convert(fields, RunSettings)


def _in_range(name: str, value: float, low: float, high: float, unit: str) -> None:
    if not math.isfinite(value) or not low <= value <= high:
        raise OutOfRangeError(name, value, low, high, unit)
