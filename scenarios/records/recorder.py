"""Collects a run tick by tick and turns it into a `RunRecord`."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping

import numpy as np
import pinocchio as pin

from models.arrays import Array
from scenarios.records.ground_truth import GroundTruth
from scenarios.records.payload_rows import report_rows, take_payload, take_supervision
from scenarios.records.record import (
    SIDES,
    BaseSeries,
    Deadlines,
    LinkSeries,
    RunRecord,
    TipSeries,
)
from scenarios.run.adaptation import AdaptationTick
from scenarios.run.plant_side import PlantState, TickTruth
from scenarios.run.settings import RunSettings
from wbmpc.control.loop import ControlTick
from wbmpc.control.low_level import JointCommand
from wbmpc.reference import Reference
from wbmpc.robot import BASE, Robot

_UNKNOWN = TickTruth(
    wrenches=np.full((2, 6), np.nan), loads_kg=np.full(len(SIDES), np.nan)
)


class Recorder:
    """One row a control tick, and counters in between."""

    def __init__(
        self,
        settings: RunSettings,
        robot: Robot,
        true_model: pin.Model | None,
        *,
        keep_ticks: int | None = None,
    ) -> None:
        """Prepare for a run.

        Args:
            settings: What was asked for.
            robot: Robot description.
            true_model: `Robot.full_model` with the plant's own inertias; None where
                nobody knows the truth.
            keep_ticks: Only the last so many, for runs without an end; None: all.
        """
        self._settings, self._robot, self._keep = settings, robot, keep_ticks
        self._truth = GroundTruth(robot, true_model, settings.payload_offset_m)
        self._frame = settings.start.frame()
        self._rows: dict[str, deque] = {}
        self._timing: dict[str, deque[float]] = {}
        self._cost: dict[str, deque[float]] = {}
        self._cost_times: deque[float] = deque(maxlen=keep_ticks)
        self.faults: Counter[str] = Counter()
        self.events: list[tuple[float, str]] = []
        self.deadlines: Deadlines | None = None

    def event(self, time_s: float, sentence: str) -> None:
        """Note something that happened."""
        self.events.append((time_s, sentence))

    def timing(self, stage: str, duration_ms: float) -> None:
        """Add the duration of one stage of one tick."""
        self._timing.setdefault(stage, self._series()).append(duration_ms)

    def cost(self, time_s: float, by_term: Mapping[str, float]) -> None:
        """Add the cost of the newest plan by term."""
        self._cost_times.append(time_s)
        for term, value in by_term.items():
            self._cost.setdefault(term, self._series()).append(value)

    def tick(
        self,
        state: PlantState,
        reference: Reference,
        tick: ControlTick,
        command: JointCommand,
        truth: TickTruth | None,
    ) -> None:
        """Add one control tick; where there is a truth, that is what is recorded."""
        measured = state.known
        if truth is None:
            truth = _UNKNOWN
        loads, q = truth.loads_kg, self._frame.from_world(measured.q)
        self._append(
            time_s=measured.time_s,
            q=q,
            v=measured.v,
            tau_Nm=command.tau_Nm,
            q_upper_ref=reference.q_upper,
            com_ref_m=reference.com_m,
            pelvis_pitch_ref_rad=_pitch_rad(reference.rotation_pelvis_to_midfoot),
            payload_kg=loads,
            wrench_true=self._turned(truth.wrenches),
            status=tick.result.status.name,
            mode=command.mode.name,
            plan_cost=tick.result.plan.cost,
            **self._truth.kinematics(q, reference.q_upper, loads),
        )
        self._append_estimate(tick, loads)
        self._append_base(state)
        for stage, duration in tick.timing_ms.items():
            self.timing(stage, duration)
        if not tick.result.status.ok:
            self.faults[f"mpc_{tick.result.status.name.lower()}"] += 1
        if tick.result.bounded:
            self.faults["com_reference_bounded"] += 1
        if tick.result.renormalized:
            self.faults["quaternion_renormalized"] += 1
        if command.saturated.any():
            self.faults["torque_saturated"] += 1

    def finish(self, *, fell: bool, wall_s: float) -> RunRecord:
        """Turn everything into arrays."""
        status, mode = self._rows.pop("status"), self._rows.pop("mode")
        rows = {key: np.array(values) for key, values in self._rows.items()}
        links = {side: self._link(side, rows) for side in SIDES}
        tips = {
            side: TipSeries(
                world_m=rows.pop(f"{side}_world"),
                torso_m=rows.pop(f"{side}_torso"),
                reference_torso_m=rows.pop(f"{side}_reference"),
            )
            for side in SIDES
        }
        return RunRecord(
            settings=self._settings,
            robot=self._robot.settings.name,
            joint_names=self._robot.joint_names,
            links=links,
            tips=tips,
            status=tuple(status),
            mode=tuple(mode),
            cost_by_term={k: np.array(v) for k, v in self._cost.items()},
            cost_time_s=np.array(self._cost_times),
            timing_ms={k: np.array(v) for k, v in self._timing.items()},
            faults=dict(self.faults),
            events=tuple(self.events),
            fell=fell,
            wall_s=wall_s,
            torque_limit_Nm=self._robot.torque_limits_full_Nm,
            robot_mass_kg=self._truth.mass_kg if self._truth.is_known else None,
            has_truth=self._truth.is_known,
            base=self._base(rows),
            deadlines=self.deadlines,
            supervision=take_supervision(rows),
            **rows,
        )

    def _turned(self, wrenches: Array) -> Array:
        """Forces and moments (feet, 6) in the axes of the start."""
        vectors = wrenches.reshape(*wrenches.shape[:-1], 2, 3)
        return self._frame.vectors_from_world(vectors).reshape(wrenches.shape)

    def _series(self) -> deque:
        return deque(maxlen=self._keep)

    def _append(self, **values: object) -> None:
        for key, value in values.items():
            self._rows.setdefault(key, self._series()).append(value)

    def _append_estimate(self, tick: ControlTick, loads: Array) -> None:
        adapted = tick.update if isinstance(tick.update, AdaptationTick) else None
        for index, side in enumerate(SIDES):
            nominal = self._truth.nominal[side]
            values = (nominal, nominal, np.zeros(10), 0.0)
            if adapted is not None:
                belief = adapted.belief
                values = (
                    belief.parameters[index],
                    adapted.published[index],
                    belief.theta[index],
                    float(belief.sigma_mass_kg[index]),
                )
            keys = ("estimate", "published", "theta", "sigma")
            row = {f"{side}_{k}": v for k, v in zip(keys, values, strict=True)}
            truth = self._truth.parameters(side, float(loads[index]))
            self._append(**row, **{f"{side}_truth": truth})
        wrenches = np.zeros((2, 6)) if adapted is None else adapted.wrenches
        self._append(wrench_estimated=wrenches)
        supervised = None if adapted is None else adapted.belief.supervised
        if supervised is not None:
            self._append(**report_rows(supervised))
            for happened in supervised.events:
                self.event(happened.time_s, happened.sentence())

    def _append_base(self, state: PlantState) -> None:
        if state.base is not None:
            self._append(
                base_q=self._frame.from_world(state.seen.q)[:7],
                base_v=state.seen.v[:BASE],
                base_contacts=state.base.contacts,
            )

    def _base(self, rows: dict[str, Array]) -> BaseSeries | None:
        if "base_q" not in rows:
            return None
        q = rows.pop("base_q")
        return BaseSeries(
            position_m=q[:, :3],
            quaternion_xyzw=q[:, 3:],
            twist=rows.pop("base_v"),
            contacts=rows.pop("base_contacts").astype(bool),
        )

    def _link(self, side: str, rows: dict[str, Array]) -> LinkSeries:
        return LinkSeries(
            link=self._robot.arms[side].link,
            nominal=self._truth.nominal[side],
            truth=rows.pop(f"{side}_truth"),
            estimate=rows.pop(f"{side}_estimate"),
            published=rows.pop(f"{side}_published"),
            theta=rows.pop(f"{side}_theta"),
            sigma_mass_kg=rows.pop(f"{side}_sigma"),
            payload=take_payload(side, rows),
        )


def _pitch_rad(rotation: Array) -> float:
    """Forward pitch of a frame without roll."""
    return float(np.arctan2(-rotation[2, 0], rotation[0, 0]))
