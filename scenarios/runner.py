"""Runs a scenario in lock-step: plant, low level, estimator and MPC in one process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np
import pinocchio as pin

from ekf import PriorRegime
from scenarios.adaptation import InertiaAdaptation
from scenarios.catalogue import find_scenario
from scenarios.control import ControlSide
from scenarios.record import RunRecord
from scenarios.recorder import Recorder
from scenarios.reference_track import ReferenceTrack
from scenarios.settings import RunSettings
from wbmpc.low_level import JointCommand, LowLevelMode
from wbmpc.plant.gate import check_models
from wbmpc.plant.interface import Measurement, Payload
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.robot import Robot

MAX_TILT_RAD = 1.0
"""Pelvis tilt from upright beyond which the robot counts as fallen."""
MIN_HEIGHT_SHARE = 0.6
"""Pelvis height, relative to home, below which the robot counts as fallen."""


class Viewer(Protocol):
    """Something that shows the robot while it runs."""

    def update(self, time_s: float, q: np.ndarray, payload_kg: np.ndarray) -> None:
        """Show a configuration of `Robot.full_model` and the loads left and right."""
        ...


def run(
    settings: RunSettings,
    *,
    on_tick: Callable[[float], None] | None = None,
    viewer: Viewer | None = None,
) -> RunRecord:
    """Run a scenario.

    One control tick every `mpc.tick_dt_s`; the plan takes effect at the instant of its
    measurement, and the plant waits for it, so that a run is deterministic.

    Args:
        settings: What to run.
        on_tick: Called with the plant time after each control tick.
        viewer: Shows the robot.

    Raises:
        ModelMismatchError: Plant and controller disagree about the robot.
        ModelsError: The settings ask for something that does not exist.
    """
    robot = Robot.load(settings.robot, settings.overrides)
    track = find_scenario(settings.scenario).record(robot, settings.duration_s)
    plant = MujocoPlant(robot)
    check_models(robot, plant, seed=settings.seed)
    return Run(settings, robot, plant, track).finish(on_tick, viewer)


class Run:
    """One run in progress."""

    def __init__(
        self,
        settings: RunSettings,
        robot: Robot,
        plant: MujocoPlant,
        track: ReferenceTrack,
    ) -> None:
        """Start at home with every part ready."""
        self._settings, self._robot = settings, robot
        self._plant, self._track = plant, track
        regime = PriorRegime(settings.prior)
        adaptation = InertiaAdaptation(robot, regime) if settings.estimator else None
        self._control = ControlSide(robot, adaptation)
        self._payload = Payload(mass_kg=settings.payload_kg)
        self._recorder = Recorder(settings, robot, self._payload)
        self._measured = plant.reset(robot.home_q_full)
        self._schedule = _payload_schedule(settings)

    def finish(
        self, on_tick: Callable[[float], None] | None, viewer: Viewer | None
    ) -> RunRecord:
        """Run to the end, or until the robot falls."""
        started = time.perf_counter()
        tick_s = self._robot.settings.mpc.tick_dt_s
        fell = False
        for index in range(round(self._settings.duration_s / tick_s)):
            self._change_payload(index * tick_s)
            self._tick(tick_s)
            if viewer is not None:
                loads = [
                    self._plant.payload_mass_kg(arm.tip_frame)
                    for arm in self._robot.arms.values()
                ]
                viewer.update(
                    self._measured.time_s, self._measured.q, np.array(loads)
                )
            if on_tick is not None:
                on_tick(self._measured.time_s)
            reason = self._ended_badly()
            if reason:
                self._recorder.event(self._measured.time_s, reason)
                fell = True
                break
        if self._control.adaptation is not None:
            self._recorder.faults.update(self._control.adaptation.faults())
        return self._recorder.finish(fell=fell, wall_s=time.perf_counter() - started)

    def _tick(self, tick_s: float) -> None:
        measured = self._measured
        reference = self._track.at(measured.time_s)
        tick = self._control.tick(measured, reference)
        command = self._control.command(measured)
        self._recorder.tick(
            measured, reference, tick, command, self._plant, self._control
        )
        started = time.perf_counter()
        self._measured = self._advance(measured, command, tick_s)
        self._recorder.timing(
            "plant_and_low_level", 1e3 * (time.perf_counter() - started)
        )

    def _advance(
        self, measured: Measurement, command: JointCommand, tick_s: float
    ) -> Measurement:
        for step in range(round(tick_s / self._plant.dt_s)):
            if step:
                command = self._control.command(measured)
            measured = self._plant.step(command.tau_Nm)
            if command.mode is LowLevelMode.HOLD:
                self._recorder.faults["damped_hold_steps"] += 1
        return measured

    def _change_payload(self, time_s: float) -> None:
        while self._schedule and time_s >= self._schedule[0][0] - 1e-9:
            at_s, attach = self._schedule.pop(0)
            load = self._payload if attach else None
            for side in _sides(self._settings):
                frame = self._robot.arms[side].tip_frame
                self._plant.set_payload(frame, load, self._settings.ramp_s)
                verb = f"{self._settings.payload_kg:g} kg on" if attach else "load off"
                self._recorder.event(at_s, f"{verb} the {side} forearm")

    def _ended_badly(self) -> str | None:
        if self._plant.fault is not None:
            return f"plant stopped: {self._plant.fault}"
        q = self._measured.q
        up = pin.Quaternion(q[3:7]).toRotationMatrix()[2, 2]
        if up < np.cos(MAX_TILT_RAD):
            return "the robot fell: pelvis tilted over"
        if q[2] < MIN_HEIGHT_SHARE * self._robot.home_q_full[2]:
            return "the robot fell: pelvis near the floor"
        return None


def _payload_schedule(settings: RunSettings) -> list[tuple[float, bool]]:
    if settings.payload_kg == 0.0:
        return []
    schedule = [(settings.at_s, True)]
    if settings.remove_at_s is not None:
        schedule.append((settings.remove_at_s, False))
    return schedule


def _sides(settings: RunSettings) -> tuple[str, ...]:
    return ("left", "right") if settings.arm == "both" else (settings.arm,)
