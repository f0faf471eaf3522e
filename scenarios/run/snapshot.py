"""Messages between the plant's process and the control process, as flat records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ekf.signals.aligner import AlignedSample
from scenarios.run.plant_side import PlantState, TickTruth
from wbmpc.control.low_level import JointCommand, LowLevelMode
from wbmpc.control.plan import Plan
from wbmpc.plant.interface import Measurement
from wbmpc.robot import BASE, Robot
from wbmpc.state_estimation import BaseEstimate

MODES = tuple(LowLevelMode)
FEET = 2


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """Everything about the plant at one control tick.

    Attributes:
        state: What the control side may use, and the truth.
        command: Of the low level, at this instant.
        sample: Newest aligned signals; None at the start and without estimator.
        truth: Ground wrenches and loads; None where there is no simulator.
        steps_ms: Time the plant and the low level took since the last tick.
        estimation_ms: Time the base estimator took.
        plan_time_s: Of the plan in force.
        plan_used_ns: When the low level first used it, an instant of `now_ns`.
        ended: Whether this is the last one: the run is over, or ended badly.
    """

    state: PlantState
    command: JointCommand
    sample: AlignedSample | None
    truth: TickTruth | None
    steps_ms: float
    estimation_ms: float
    ended: bool
    plan_time_s: float = 0.0
    plan_used_ns: int = 0


class SnapshotCodec:
    """Snapshots of one robot as arrays () of a structured dtype, and back."""

    def __init__(self, robot: Robot) -> None:
        """Read the sizes."""
        n = len(robot.joint_names)
        full, own = robot.full_model, robot.model
        measurement = _signals(full.nq, full.nv, n, acceleration=False)
        self.dtype = np.dtype(
            [
                ("seen", measurement),
                ("is_simulated", "?"),
                ("truth", measurement),
                ("wrenches", "f8", (FEET, 6)),
                ("loads_kg", "f8", (len(robot.arms),)),
                ("is_estimated", "?"),
                ("contacts", "?", (FEET,)),
                ("tau_Nm", "f8", (n,)),
                ("saturated", "?", (n,)),
                ("replaced", "?", (n,)),
                ("mode", "i8"),
                ("is_aligned", "?"),
                ("sample", _signals(own.nq, own.nv, own.nv - BASE, acceleration=True)),
                ("steps_ms", "f8"),
                ("estimation_ms", "f8"),
                ("ended", "?"),
                ("plan_time_s", "f8"),
                ("plan_used_ns", "i8"),
            ]
        )

    def encode(self, snapshot: Snapshot) -> np.ndarray:
        """As an array ()."""
        out = np.zeros((), self.dtype)
        state, command = snapshot.state, snapshot.command
        _write_measurement(out["seen"], state.seen)
        if state.truth is not None and snapshot.truth is not None:
            out["is_simulated"] = True
            _write_measurement(out["truth"], state.truth)
            out["wrenches"] = snapshot.truth.wrenches
            out["loads_kg"] = snapshot.truth.loads_kg
        if state.base is not None:
            out["is_estimated"], out["contacts"] = True, state.base.contacts
        out["tau_Nm"], out["saturated"] = command.tau_Nm, command.saturated
        out["replaced"][list(command.replaced)] = True
        out["mode"] = MODES.index(command.mode)
        if snapshot.sample is not None:
            out["is_aligned"] = True
            _write_sample(out["sample"], snapshot.sample)
        for key in ("steps_ms", "estimation_ms", "ended", "plan_time_s"):
            out[key] = getattr(snapshot, key)
        out["plan_used_ns"] = snapshot.plan_used_ns
        return out

    def decode(self, array: np.ndarray) -> Snapshot:
        """From an array ()."""
        seen = _read_measurement(array["seen"])
        base = _base_of(seen, array["contacts"]) if array["is_estimated"] else None
        state, truth = None, None
        if array["is_simulated"]:
            state = _read_measurement(array["truth"])
            truth = TickTruth(wrenches=array["wrenches"], loads_kg=array["loads_kg"])
        return Snapshot(
            state=PlantState(truth=state, seen=seen, base=base),
            command=JointCommand(
                tau_Nm=array["tau_Nm"],
                saturated=array["saturated"],
                mode=MODES[int(array["mode"])],
                replaced=tuple(np.flatnonzero(array["replaced"]).tolist()),
            ),
            sample=_read_sample(array["sample"]) if array["is_aligned"] else None,
            truth=truth,
            steps_ms=float(array["steps_ms"]),
            estimation_ms=float(array["estimation_ms"]),
            ended=bool(array["ended"]),
            plan_time_s=float(array["plan_time_s"]),
            plan_used_ns=int(array["plan_used_ns"]),
        )


class PlanCodec:
    """Plans of one robot as arrays () of a structured dtype, and back."""

    def __init__(self, robot: Robot) -> None:
        """Read the sizes."""
        mpc, model = robot.settings.mpc, robot.model
        nu = model.nv - BASE
        fields: list[tuple] = [
            ("time_s", "f8"),
            ("node_dt_s", "f8"),
            ("q", "f8", (mpc.nodes + 1, model.nq)),
            ("v", "f8", (mpc.nodes + 1, model.nv)),
            ("tau_Nm", "f8", (mpc.nodes, nu)),
            ("cost", "f8"),
        ]
        if mpc.realtime_iteration:
            fields.append(("gain", "f8", (nu, 2 * model.nv)))
        self.dtype = np.dtype(fields)

    def encode(self, plan: Plan) -> np.ndarray:
        """As an array ()."""
        out = np.zeros((), self.dtype)
        for name in self.dtype.names or ():
            out[name] = getattr(plan, name)
        return out

    def decode(self, array: np.ndarray) -> Plan:
        """From an array ()."""
        names = self.dtype.names or ()
        values: dict[str, Any] = {name: array[name] for name in names}
        for name in ("time_s", "node_dt_s", "cost"):
            values[name] = float(values[name])
        return Plan(**values)


def _signals(nq: int, nv: int, n: int, *, acceleration: bool) -> np.dtype:
    fields: list[tuple] = [("time_s", "f8"), ("q", "f8", (nq,)), ("v", "f8", (nv,))]
    fields += [("a", "f8", (nv,))] if acceleration else []
    return np.dtype([*fields, ("tau_Nm", "f8", (n,))])


def _write_measurement(out: np.ndarray, measured: Measurement) -> None:
    out["time_s"], out["q"], out["v"] = measured.time_s, measured.q, measured.v
    out["tau_Nm"] = measured.tau_Nm


def _read_measurement(array: np.ndarray) -> Measurement:
    return Measurement(
        time_s=float(array["time_s"]),
        q=array["q"],
        v=array["v"],
        tau_Nm=array["tau_Nm"],
    )


def _write_sample(out: np.ndarray, sample: AlignedSample) -> None:
    out["time_s"], out["q"], out["v"] = sample.time_s, sample.q, sample.v
    out["a"], out["tau_Nm"] = sample.a, sample.tau


def _read_sample(array: np.ndarray) -> AlignedSample:
    return AlignedSample(
        time_s=float(array["time_s"]),
        q=array["q"],
        v=array["v"],
        a=array["a"],
        tau=array["tau_Nm"],
    )


def _base_of(seen: Measurement, contacts: np.ndarray) -> BaseEstimate:
    return BaseEstimate(
        position_m=seen.q[:3],
        quaternion_xyzw=seen.q[3:7],
        twist=seen.v[:BASE],
        contacts=contacts,
    )
