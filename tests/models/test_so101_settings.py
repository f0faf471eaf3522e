"""The SO-101's settings: read, frozen, refused."""

from __future__ import annotations

import msgspec
import pytest

from models.errors import SettingsError
from models.so101 import load_so101


def test_published_figures_are_there() -> None:
    settings = load_so101()
    assert settings.plant.armature_kgm2 == 0.028
    assert settings.servo.stiffness_Nm_per_rad == (50.0, 90.0, 11.0, 50.0, 50.0, 50.0)
    assert settings.task.target_rad == (0.6, 0.7, -0.8, 0.5, 0.4, 0.0)


def test_one_value_changes_alone() -> None:
    changed = load_so101({"plant": {"armature_kgm2": 0.0}})
    assert changed.plant.armature_kgm2 == 0.0
    assert msgspec.structs.replace(changed, plant=load_so101().plant) == load_so101()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"plant": {"armatur": 0.0}}, "armatur"),
        ({"plant": {"dt_s": 0.0}}, "dt_s"),
        ({"servo": {"ids": [1, 2, 3, 4, 5, 300]}}, "ids"),
        ({"payload": {"size_m": [0.1, 0.1, -0.1]}}, "size_m"),
        ({"rls": {"forgetting": 1.1}}, "forgetting"),
        ({"gripper": {}}, "gripper"),
    ],
)
def test_bad_values_are_refused(changes: dict, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        load_so101(changes)
