"""What a run of a scenario may be asked for, checked before anything starts."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from scenarios.errors import ScenarioError

MAX_PAYLOAD_KG = 100.0
"""More than any robot here weighs; a larger number is a mistake."""

Arm = Literal["left", "right", "both"]
PriorName = Literal["none", "inertia_only", "all"]
PlantName = Literal["clean", "hardware_twin"]
BaseEstimatorName = Literal["contact_ekf", "fixed_feet"]


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Raises:
        ScenarioError: On construction, for a number out of range.
    """

    scenario: str = "window_washing"
    robot: str = "alexander"
    payload_kg: float = 5.0
    """Load put on the forearm tip; 0 for an unloaded run."""
    arm: Arm = "left"
    at_s: float = 3.0
    """When the load appears."""
    remove_at_s: float | None = None
    """When it is taken off again."""
    ramp_s: float = 0.0
    """Time over which the load grows."""
    duration_s: float = 12.0
    estimator: bool = True
    prior: PriorName = "inertia_only"
    """Channels the fictitious measurement pins (Table V)."""
    seed: int = 0
    plant: PlantName = "clean"
    """Nominal physics and perfect sensors, or a robot's imperfections (seeded)."""
    ideal: tuple[str, ...] = ()
    """Imperfections of the plant to leave out, by name, to see what each costs."""
    truth: bool | None = None
    """Control on the simulator's state instead of an estimate of the base; by default
    on the clean plant only."""
    base_estimator: BaseEstimatorName = "fixed_feet"
    """Where the base's state comes from unless it is the simulator's."""
    overrides: tuple[str, ...] = ()
    """`key.path=value` changes of the robot's settings."""

    def __post_init__(self) -> None:
        """Check ranges."""
        _in_range("payload", self.payload_kg, 0.0, MAX_PAYLOAD_KG, "kg")
        _in_range("duration", self.duration_s, 0.1, 3600.0, "s")
        _in_range("at", self.at_s, 0.0, self.duration_s, "s")
        _in_range("ramp", self.ramp_s, 0.0, 3600.0, "s")
        if self.remove_at_s is not None:
            _in_range("remove-at", self.remove_at_s, self.at_s, self.duration_s, "s")

    @property
    def uses_truth(self) -> bool:
        """Whether the controller sees the simulator's state."""
        return self.plant == "clean" if self.truth is None else self.truth


def _in_range(name: str, value: float, low: float, high: float, unit: str) -> None:
    if not math.isfinite(value) or not low <= value <= high:
        raise ScenarioError(
            f"--{name} {value:g}: must be between {low:g} and {high:g} {unit}"
        )
