"""Imperfection settings: checked, grouped into switches, each with an effect."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from wbmpc.errors import SettingsError, UnknownNameError
from wbmpc.plant.imperfections import (
    CLEAN,
    HARDWARE_TWIN,
    SWITCHES,
    ImperfectionSettings,
    only,
    without,
)
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.plant.twin_plant import TwinPlant
from wbmpc.robot import Robot

FIELDS = ImperfectionSettings.__struct_fields__
# The control side applies it, not the plant.
PLANT_FIELDS = [name for name in FIELDS if name != "plan_delay_ticks"]


# An error of friction needs friction.
NEEDED = {"friction_error": {"coulomb_share": HARDWARE_TWIN.coulomb_share}}


def _single(field: str) -> ImperfectionSettings:
    needed = NEEDED.get(field, {})
    return ImperfectionSettings(**needed, **{field: getattr(HARDWARE_TWIN, field)})


def _rollout(robot: Robot, settings: ImperfectionSettings, tau: NDArray) -> np.ndarray:
    """Truth and readings of a moving robot, one row per step."""
    twin = TwinPlant(robot, MujocoPlant(robot), settings, seed=3)
    truth = twin.reset(robot.home_q_full)
    rows = []
    for step in range(40):
        swing = 1.0 + 0.1 * np.sin(0.2 * step)
        truth = twin.step(swing * tau - 5.0 * truth.v[6:])
        got = twin.readings
        rows.append(
            [
                *truth.q,
                *truth.v,
                *got.q,
                *got.v,
                *got.tau_Nm,
                *got.gyro_rad_per_s,
                *got.accelerometer_m_per_s2,
            ]
        )
    return np.array(rows)


@pytest.fixture(scope="module")
def clean_rows(robot: Robot, standing_tau_Nm: NDArray) -> np.ndarray:
    return _rollout(robot, CLEAN, standing_tau_Nm)


@pytest.mark.parametrize("field", PLANT_FIELDS)
def test_each_imperfection_alone_changes_something(
    robot: Robot, standing_tau_Nm: NDArray, clean_rows: np.ndarray, field: str
) -> None:
    """No setting is silently without effect."""
    rows = _rollout(robot, _single(field), standing_tau_Nm)
    without_it = clean_rows
    if field in NEEDED:
        needed = ImperfectionSettings(**NEEDED[field])
        without_it = _rollout(robot, needed, standing_tau_Nm)
    assert np.isfinite(rows).all()
    assert np.abs(rows - without_it).max() > 1e-7


def test_every_field_is_in_one_switch_and_in_the_preset() -> None:
    grouped = [name for fields in SWITCHES.values() for name in fields]
    assert sorted(grouped) == sorted(FIELDS)
    assert all(getattr(HARDWARE_TWIN, name) > 0 for name in FIELDS)


@pytest.mark.parametrize("switch", SWITCHES)
def test_switches_split_the_preset(switch: str) -> None:
    """What one leaves out is what the other keeps."""
    kept, left = only(HARDWARE_TWIN, switch), without(HARDWARE_TWIN, switch)
    for name in FIELDS:
        values = {getattr(kept, name), getattr(left, name)}
        assert values == {0, getattr(HARDWARE_TWIN, name)}
    assert without(HARDWARE_TWIN, *SWITCHES) == CLEAN


def test_unknown_switch_names_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="sole_compliance"):
        without(HARDWARE_TWIN, "gravity")


@pytest.mark.parametrize("value", [-1e-9, np.nan, np.inf])
@pytest.mark.parametrize("field", ["coulomb_share", "sensor_delay_steps"])
def test_impossible_sizes_are_refused(field: str, value: float) -> None:
    with pytest.raises(SettingsError, match=field):
        ImperfectionSettings(**{field: value})


@pytest.mark.parametrize("field", ["link_mass_error", "friction_error"])
def test_nothing_can_lose_all_of_itself(field: str) -> None:
    with pytest.raises(SettingsError, match=field):
        ImperfectionSettings(**{field: 1.0})


def test_settings_survive_a_round_trip() -> None:
    encoded = msgspec.json.encode(HARDWARE_TWIN)
    assert msgspec.json.decode(encoded, type=ImperfectionSettings) == HARDWARE_TWIN
