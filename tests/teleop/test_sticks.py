"""Thumbsticks: rates, ranges, dead zones (Table II)."""

from __future__ import annotations

import pytest

from teleop.settings import MappingSettings
from teleop.sticks import BaseCommand, StickMapping, Thumbstick

DT_S = 0.02
REST = (0.0, 0.0)


def drive(
    mapping: StickMapping, duration_s: float, **sticks: tuple[float, float] | None
) -> BaseCommand:
    both = {"left": REST, "right": REST, **sticks}
    for _ in range(round(duration_s / DT_S)):
        command = mapping.step(both, DT_S)
    return command


def ready() -> StickMapping:
    mapping = StickMapping(MappingSettings())
    drive(mapping, 0.1)
    return mapping


def test_each_stick_moves_its_quantity_in_its_direction() -> None:
    right = drive(ready(), 0.5, right=(1.0, 0.0))
    assert right.spine_yaw_rad < -0.05 and right.spine_yaw_rate_rad_per_s < 0.0
    assert (right.pelvis_pitch_rad, right.com_height_m) == (0.0, 0.0)
    forward = drive(ready(), 0.5, right=(0.0, 1.0))
    assert forward.pelvis_pitch_rad > 0.05 and forward.spine_yaw_rad == 0.0
    back = drive(ready(), 0.5, left=(0.0, -1.0))
    assert back.com_height_m < -0.02 and back.pelvis_pitch_rad == 0.0
    sideways = drive(ready(), 0.5, left=(1.0, 0.0))
    assert sideways == BaseCommand()


def test_rates_and_ranges_are_those_of_the_settings() -> None:
    settings, mapping = MappingSettings(), ready()
    early = drive(mapping, 1.0, right=(-1.0, 0.0)).spine_yaw_rad
    late = drive(mapping, 0.1, right=(-1.0, 0.0)).spine_yaw_rad
    rate = settings.spine_yaw.rate_per_s
    assert late - early == pytest.approx(0.1 * min(rate, (0.45 - early) / 0.1))
    end = drive(mapping, 10.0, right=(-1.0, 1.0), left=(0.0, 1.0))
    assert end.spine_yaw_rad == settings.spine_yaw.highest
    assert end.spine_yaw_rate_rad_per_s == 0.0
    assert end.pelvis_pitch_rad == settings.pelvis_pitch.highest
    assert end.com_height_m == settings.com_height.highest


def test_starts_gently_and_stops_at_once() -> None:
    mapping = ready()
    first = drive(mapping, DT_S, right=(1.0, 0.0))
    assert 0.0 < -first.spine_yaw_rate_rad_per_s < 0.05
    drive(mapping, 0.5, right=(1.0, 0.0))
    stopped = drive(mapping, DT_S, right=REST)
    assert stopped.spine_yaw_rate_rad_per_s == 0.0
    assert drive(mapping, 1.0, right=REST).spine_yaw_rad == stopped.spine_yaw_rad


def test_a_hand_that_does_not_drive_leaves_everything_where_it_is() -> None:
    mapping = ready()
    before = drive(mapping, 0.5, right=(1.0, 0.0))
    after = drive(mapping, 1.0, right=None)
    assert after.spine_yaw_rad == before.spine_yaw_rad
    assert after.spine_yaw_rate_rad_per_s == 0.0
    # It came back deflected: not taken before it was seen at rest.
    still = drive(mapping, 1.0, right=(1.0, 0.0))
    assert still.spine_yaw_rad == before.spine_yaw_rad


@pytest.mark.parametrize("value", [0.0, 0.1, -0.1, 0.149])
def test_within_the_dead_zone_nothing_is_read(value: float) -> None:
    stick = Thumbstick(0.15)
    assert stick.read(value, value) == REST


def test_beyond_it_the_rest_of_the_way_is_stretched() -> None:
    stick = Thumbstick(0.2)
    stick.read(0.0, 0.0)
    assert stick.read(1.0, -1.0) == (1.0, -1.0)
    assert stick.read(0.6, 0.0) == (pytest.approx(0.5), 0.0)
