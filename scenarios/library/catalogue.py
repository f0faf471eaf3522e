"""The scenarios by name: those of this folder, and those that were registered."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from models.errors import UnknownNameError
from scenarios import library
from scenarios.errors import ScenarioError
from scenarios.library.scenario import Defaults, Scenario

_registered: dict[str, Scenario] = {}


def register(scenario: Scenario) -> None:
    """Make a scenario of one's own known by its name, as those of this folder are.

    Runs side by side, and those in real time, have processes of their own, which
    import the main module again: register at the top level of a module, not below
    `if __name__ == "__main__"`. A scenario registered before under the same name is
    replaced.

    Raises:
        ScenarioError: A scenario of this folder has that name.
    """
    if scenario.name in _shipped():
        raise ScenarioError(f"scenario {scenario.name}: the name is taken")
    _registered[scenario.name] = scenario


def registered_scenarios() -> tuple[Scenario, ...]:
    """Those that were registered."""
    return tuple(_registered.values())


def scenario_names() -> tuple[str, ...]:
    """Names of all scenarios."""
    return (*_shipped(), *_registered)


def find_scenario(name: str) -> Scenario:
    """Look a scenario up.

    Raises:
        UnknownNameError: No such scenario.
    """
    known = _shipped() | _registered
    if name not in known:
        raise UnknownNameError("scenario", name, known)
    return known[name]


def defaults_text() -> str:
    """Every scenario with its defaults, for help texts."""
    parts = (f"{n}: {_describe(find_scenario(n).defaults)}" for n in scenario_names())
    return "; ".join(parts)


def shipped_modules() -> tuple[str, ...]:
    """Names of this folder's modules with a scenario."""
    return tuple(module for module, _ in _found())


def _shipped() -> dict[str, Scenario]:
    return {scenario.name: scenario for _, scenario in _found()}


@functools.cache
def _found() -> tuple[tuple[str, Scenario], ...]:
    """Every `SCENARIO` of this folder, with the name of its module."""
    names = (
        f"{library.__name__}.{module.name}"
        for module in pkgutil.iter_modules(library.__path__)
        if not module.ispkg
    )
    found = ((n, getattr(importlib.import_module(n), "SCENARIO", None)) for n in names)
    return tuple((name, scenario) for name, scenario in found if scenario is not None)


def _describe(defaults: Defaults) -> str:
    parts = [f"{defaults.payload_kg:.3g} kg {defaults.arm} at {defaults.at_s:g} s"]
    if defaults.ramp_s:
        parts.append(f"ramp {defaults.ramp_s:g} s")
    if defaults.remove_at_s is not None:
        parts.append(f"off at {defaults.remove_at_s:g} s")
    return ", ".join([*parts, f"{defaults.duration_s:g} s long"])
