"""Settings of a run: what is asked for, else the scenario's defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from scenarios.errors import ScenarioError
from scenarios.library.catalogue import find_scenario
from scenarios.library.loads.schedule import loaded_sides

if TYPE_CHECKING:
    from scenarios.library.loads.suited_load import SuitedLoad
    from scenarios.run.settings import RunSettings

PAPER_ROBOT = "alexander"


def run_settings(scenario: str, **asked: Any) -> RunSettings:
    """Settings of a run: what is asked for, else the scenario's defaults.

    Args:
        scenario: Name of the scenario.
        asked: Fields of `RunSettings`; None counts as not asked.

    Raises:
        ModelsError: No such scenario or robot, or a robot file that cannot be used.
        ScenarioError: A number out of range.
    """
    from scenarios.run.settings import RunSettings

    fields = msgspec.structs.asdict(find_scenario(scenario).defaults)
    given = {name: value for name, value in asked.items() if value is not None}
    settings = RunSettings(scenario=scenario, **_fitted(fields | given, given))
    if "payload_kg" in given or settings.robot == PAPER_ROBOT:
        return settings
    return msgspec.structs.replace(settings, payload_kg=default_load(settings).load_kg)


def default_load(settings: RunSettings) -> SuitedLoad:
    """The load of a run's scenario that suits its robot.

    Raises:
        ModelsError: No such scenario or robot, or a robot file that cannot be used.
    """
    from scenarios.library.loads.suited_load import suited_load
    from wbmpc.robot import Robot

    robot = Robot.load(settings.robot, settings.overrides)
    scenario = find_scenario(settings.scenario)
    track = scenario.motion(robot, settings.duration_s)
    papers_kg = scenario.defaults.payload_kg
    return suited_load(robot, track, papers_kg, loaded_sides(settings))


def _fitted(fields: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Defaults that lie after the end of a shorter run are left out, or asked for.

    Raises:
        ScenarioError: The run ends before its load comes, or the load is taken off
            before it comes, and nobody said when.
    """
    end_s = fields["duration_s"]
    if "remove_at_s" not in given and fields["remove_at_s"] is not None:
        if fields["remove_at_s"] > end_s:
            fields = fields | {"remove_at_s": None}
        elif fields["remove_at_s"] < fields["at_s"] <= end_s:
            raise ScenarioError(
                f"--at {fields['at_s']:g}: after the load is taken off, at "
                f"{fields['remove_at_s']:g} s; give --remove-at, too"
            )
    if "at_s" in given or not fields["at_s"] > end_s > 0.0:
        return fields
    if fields["payload_kg"] > 0.0:
        raise ScenarioError(
            f"--duration {end_s:g}: ends before the load comes, at "
            f"{fields['at_s']:g} s; give an earlier --at, a longer --duration, or "
            "--payload 0"
        )
    return fields | {"at_s": end_s}
