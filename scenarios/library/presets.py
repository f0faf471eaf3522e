"""The scenarios by name with what a run of each does unless asked otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from models.errors import UnknownNameError

if TYPE_CHECKING:  # help texts need the defaults, but no package that drives a robot
    from scenarios.run.settings import Arm, RunSettings

PAPER_ROBOT = "alexander"
POUND_KG = 0.45359237
"""The paper's plates are in pounds; its kilograms are rounded."""


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """Defaults of one scenario; each is a field of `RunSettings`."""

    summary: str
    """One line for the help text."""
    payload_kg: float = 5.0
    """On each loaded arm of the paper's robot; others get as much by weight, or what
    their arms can hold."""
    arm: Arm = "left"
    at_s: float = 3.0
    remove_at_s: float | None = None
    ramp_s: float = 0.0
    duration_s: float = 12.0


PRESETS = {
    "window_washing": Preset(
        summary="both forearms wash a window; a load appears on one of them",
    ),
    "standing": Preset(summary="stand still at home"),
    "balance": Preset(
        summary="both arms reach forward; each forearm is loaded slowly",
        arm="both",
        ramp_s=2.0,
    ),
    "runtime_loading": Preset(
        summary="arms forward; plates go onto one forearm one by one, then come off",
        payload_kg=17.5 * POUND_KG,
        arm="right",
        at_s=6.0,
        remove_at_s=36.0,
        ramp_s=0.5,
        duration_s=44.0,
    ),
    "squat_pickup": Preset(
        summary="squat, pick up a load with one hand, stand up, wash a window",
        payload_kg=10.0 * POUND_KG,
        arm="right",
        at_s=6.0,
        ramp_s=1.0,
        duration_s=26.0,
    ),
}


def find_preset(name: str) -> Preset:
    """Look a scenario's defaults up.

    Raises:
        UnknownNameError: No such scenario.
    """
    if name not in PRESETS:
        raise UnknownNameError("scenario", name, PRESETS)
    return PRESETS[name]


def run_settings(scenario: str, **asked: Any) -> RunSettings:
    """Settings of a run: what is asked for, else the scenario's defaults.

    Args:
        scenario: Name of the scenario.
        asked: Fields of `RunSettings`; None counts as not asked.

    Raises:
        ModelsError: No such scenario or robot, or a robot file that can not be used.
        ScenarioError: A number out of range.
    """
    from scenarios.run.settings import RunSettings

    fields = msgspec.structs.asdict(find_preset(scenario))
    del fields["summary"]
    given = {name: value for name, value in asked.items() if value is not None}
    settings = RunSettings(scenario=scenario, **_fitted(fields | given, given))
    if asked.get("payload_kg") is not None or settings.robot == PAPER_ROBOT:
        return settings
    from scenarios.library.catalogue import default_load

    load = default_load(settings)
    return msgspec.structs.replace(settings, payload_kg=load.load_kg)


def _fitted(fields: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Defaults that lie after the end of a shorter run are left out, or asked for.

    Raises:
        ScenarioError: The run ends before its load comes, and nobody said when.
    """
    from scenarios.errors import ScenarioError

    end_s = fields["duration_s"]
    if "remove_at_s" not in given and (fields["remove_at_s"] or 0.0) > end_s:
        fields = fields | {"remove_at_s": None}
    if "at_s" in given or not fields["at_s"] > end_s > 0.0:
        return fields
    if fields["payload_kg"] > 0.0:
        raise ScenarioError(
            f"--duration {end_s:g}: ends before the load comes, at "
            f"{fields['at_s']:g} s; give an earlier --at, a longer --duration, or "
            "--payload 0"
        )
    return fields | {"at_s": end_s}


def defaults_text() -> str:
    """Every scenario with its defaults, for help texts."""
    return "; ".join(f"{name}: {_describe(p)}" for name, p in PRESETS.items())


def _describe(preset: Preset) -> str:
    parts = [f"{preset.payload_kg:.3g} kg {preset.arm} at {preset.at_s:g} s"]
    if preset.ramp_s:
        parts.append(f"ramp {preset.ramp_s:g} s")
    if preset.remove_at_s is not None:
        parts.append(f"off at {preset.remove_at_s:g} s")
    return ", ".join([*parts, f"{preset.duration_s:g} s long"])
