"""Disturbances of the robot during a run: loads and pushes; faults are told.

On a plant that no program can disturb, the schedule is told all the same: whoever
stands beside the robot follows it.
"""

from __future__ import annotations

import numpy as np

from scenarios.library.catalogue import find_scenario
from scenarios.run.settings import RunSettings
from wbmpc.plant.interface import Disturbable, Payload
from wbmpc.robot import Robot


class Disturbances:
    """Applies the load schedule and the push of a run to a plant, once each."""

    def __init__(self, settings: RunSettings, robot: Robot) -> None:
        """Read the schedule."""
        self._robot = robot
        self._loads = list(find_scenario(settings.scenario).loads(settings))
        self._offset_m = settings.payload_offset_m
        self._push, self._frame = settings.push, settings.start.frame()
        self._faults = sorted(settings.faults, key=lambda fault: fault.at_s)

    def apply(
        self, time_s: float, plant: Disturbable | None
    ) -> list[tuple[float, str]]:
        """Do everything due by a time; returns (time, sentence) of each change.

        Args:
            time_s: Plant time.
            plant: What is disturbed; None if it has to be done by hand.
        """
        by_hand = "" if plant is not None else "by hand: "
        events = []
        while self._loads and time_s >= self._loads[0].time_s - 1e-9:
            load = self._loads.pop(0)
            for side in load.sides:
                frame = self._robot.arms[side].tip_frame
                held = None
                if load.mass_kg:
                    held = Payload(mass_kg=load.mass_kg, center_m=self._offset_m)
                if plant is not None:
                    plant.set_payload(frame, held, load.ramp_s)
                verb = f"{load.mass_kg:.3g} kg on" if held else "load off"
                events.append((load.time_s, f"{by_hand}{verb} the {side} forearm"))
        push = self._push
        if push is not None and time_s >= push.at_s - 1e-9:
            self._push = None
            force = np.array([push.forward_N, push.left_N, 0.0])
            force = self._frame.vectors_to_world(force)
            root = self._robot.settings.root_link
            if plant is not None:
                plant.apply_push(root, force, push.duration_s)
            events.append((push.at_s, by_hand + push.describe()))
        while self._faults and time_s >= self._faults[0].at_s - 1e-9:
            fault = self._faults.pop(0)
            events.append((fault.at_s, fault.describe()))
        return events
