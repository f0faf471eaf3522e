"""A load on the torso in closed loop: no arm has it, and the legs carry it."""

from __future__ import annotations

import numpy as np
import pytest

from scenarios.run import plant_side, runner
from scenarios.run.settings import RunSettings
from wbmpc.plant.interface import Disturbable, Payload
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.robot import Robot

TORSO, AT_S = "TORSO_LINK", 0.5


class _PlantWithTorsoLoads(MujocoPlant):
    def __init__(self, robot: Robot) -> None:
        super().__init__(robot, payload_frames=[TORSO])


class _OnTheTorso(runner.Disturbances):
    """10 kg in place of the scenario's loads."""

    def __init__(self, settings: RunSettings, robot: Robot) -> None:
        super().__init__(settings, robot)
        self._loads, self._held = [], False

    def apply(
        self, time_s: float, plant: Disturbable | None
    ) -> list[tuple[float, str]]:
        if time_s >= AT_S and not self._held:
            assert plant is not None
            plant.set_payload(TORSO, Payload(mass_kg=10.0), 0.0)
            self._held = True
        return super().apply(time_s, plant)


def test_ten_kilograms_on_the_torso_do_not_lower_the_pelvis(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plant_side, "MujocoPlant", _PlantWithTorsoLoads)
    monkeypatch.setattr(runner, "Disturbances", _OnTheTorso)
    record = runner.run(RunSettings(scenario="standing", at_s=0.5, duration_s=5.5))
    assert not record.fell
    sunk_mm = 1e3 * (record.q[0, 2] - record.q[:, 2])
    print(f"sinks by {sunk_mm.max():.1f} mm, at the end {sunk_mm[-1]:.1f} mm")
    assert sunk_mm.max() > 30.0
    assert abs(sunk_mm[-1]) < 4.0
    assert record.supervision is not None
    assert record.supervision.unexplained_kg[-1] == pytest.approx(10.0, abs=0.3)
    for link in record.links.values():
        np.testing.assert_array_equal(link.published[-1], link.nominal)
