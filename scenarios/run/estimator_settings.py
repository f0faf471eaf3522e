"""Settings of the estimator for a robot: its size first, then what its file says.

`wbmpc` carries the table `estimator.supervisor` without reading it; its keys are those
of ekf's `SupervisorSettings` and of the groups in it, `events` and `noise`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from ekf import SupervisorSettings
from ekf.errors import InvalidSettingError
from models.errors import SettingError, near_names

if TYPE_CHECKING:
    from wbmpc.robot import Robot
    from wbmpc.settings import EstimatorSettings

T = TypeVar("T")

TABLE = "estimator.supervisor"


def checked_robot(name: str, overrides: tuple[str, ...] = ()) -> Robot:
    """A robot whose settings are right to the last one, before anything starts.

    Raises:
        ModelsError: As `Robot.load`, or a setting of the supervisor is wrong.
    """
    # Importing the package that drives the robot checks the native wheels.
    from wbmpc.robot import Robot

    robot = Robot.load(name, overrides)
    supervisor_settings(robot)
    return robot


def supervisor_settings(robot: Robot) -> SupervisorSettings:
    """Settings of the supervised filter for a robot.

    The defaults are those of the paper's robot, scaled by weight and height: in similar
    motions forces go with mass, and torques with mass times length. What the robot's
    settings state is final: it takes the place of the scaled value.

    Raises:
        SettingError: The settings state something else than these numbers.
    """
    # Importing the package that drives the robot checks the native wheels.
    from scenarios.library.motions.body_scale import height_ratio, mass_ratio

    mass, tick_s = mass_ratio(robot), robot.settings.mpc.tick_dt_s
    scaled = SupervisorSettings(tick_s=tick_s).scaled(
        force=mass, torque=mass * height_ratio(robot)
    )
    stated = robot.settings.estimator.supervisor
    if "tick_s" in stated:
        rule = "is that of mpc.tick_dt_s; change that"
        raise SettingError(f"{TABLE}.tick_s", stated["tick_s"], rule)
    return _changed(scaled, stated, TABLE)


def table_iii(settings: EstimatorSettings | None = None) -> EstimatorSettings:
    """Variances as the paper prints them (arXiv:2610.22176, Table III).

    Args:
        settings: What the table says nothing of is taken from here: filter of the
            signals, rate limits, and the variance at the start.
    """
    from wbmpc.settings import EstimatorSettings

    settings = EstimatorSettings() if settings is None else settings
    return msgspec.structs.replace(
        settings,
        process_alpha=1e-3,
        process_d=1e-2,
        process_s=1e-2,
        process_t=1e-2,
        prior_d=1e-2,
        prior_s=1e-2,
        torque_base_force=1e3,
        torque_base_moment=1e3,
        torque_spine=1e3,
        torque_arms=1e2,
        torque_legs=1e2,
    )


def _changed(settings: T, table: Mapping[str, Any], key: str) -> T:
    """A group of settings with the values of a table."""
    known = [field.name for field in fields(settings)]  # type: ignore[arg-type]
    for name, value in table.items():
        place = f"{key}.{name}"
        if name not in known:
            near = near_names(name, known)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise SettingError(place, None, f"unknown key{hint}")
        value = _checked(getattr(settings, name), value, place)
        try:
            settings = replace(settings, **{name: value})  # type: ignore[type-var]
        except InvalidSettingError as error:
            raise SettingError(place, value, error.rule) from None
    return settings


def _checked(now: Any, value: object, place: str) -> Any:
    """A number, or a group of numbers with the values of a table."""
    if is_dataclass(now):
        if not isinstance(value, Mapping):
            raise SettingError(place, value, "must be a table")
        return _changed(now, value, place)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SettingError(place, value, "must be a number")
    return float(value)
