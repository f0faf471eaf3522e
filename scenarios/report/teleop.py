"""A teleoperated run in numbers; every key ends in its unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from models.arrays import Array
from scenarios.records.record import SIDES, RunRecord
from scenarios.report.metrics.results import RunMetrics
from scenarios.report.metrics.run import measure
from scenarios.report.paper import Goal
from scenarios.report.scoreboard import Line, lines_table
from scenarios.run.settings import RunSettings
from scenarios.run.teleop_session import TeleopSession
from teleop.latency import LatencyBudget, Percentiles
from teleop.operator_process import OperatorReport
from teleop.reference_stream import StreamedReference

LOADED_GOAL = Goal(at_most=15.0)
"""Tip against its reference under load [mm]."""
SETTLED_S = 2.0
"""After the load is fully on; as for every scenario."""


class HandTracking(msgspec.Struct, frozen=True, kw_only=True):
    """One forearm tip against its reference, relative to the torso."""

    moved_m: float
    """Largest distance of the reference from where it started."""
    rmse_mm: float
    """Whole run."""
    rmse_settled_mm: float | None
    """From 2 s after loading on; None without load."""
    max_settled_mm: float | None
    off_target_rmse_settled_mm: float | None
    """From where the operator wants it, delays included; while engaged."""


class BaseMotion(msgspec.Struct, frozen=True, kw_only=True):
    """The thumbsticks' work; extremes over the run."""

    spine_yaw_min_rad: float
    spine_yaw_max_rad: float
    pelvis_pitch_ref_max_rad: float
    com_lowered_m: float
    com_height_rmse_mm: float
    """Against its reference."""


class StreamQuality(msgspec.Struct, frozen=True, kw_only=True):
    """References as they reached the control side."""

    received: int
    lost: int
    not_used: dict[str, int]
    rate_hz: float | None


class TeleopResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one session."""

    driver: str
    """page, script or recording."""
    transport: str
    hands: dict[str, HandTracking]
    base: BaseMotion
    latency: LatencyBudget
    stream: StreamQuality
    operator: OperatorReport | None
    """None if its process was gone at the end."""
    run: RunMetrics


def session_result(
    session: TeleopSession,
    record: RunRecord,
    operator: OperatorReport | None,
    *,
    driver: str,
    transport: str,
) -> TeleopResult:
    """Everything about a session that has ended."""
    return TeleopResult(
        driver=driver,
        transport=transport,
        hands=hand_tracking(record, session.link.off_target),
        base=base_motion(record),
        latency=session.link.latency.budget(),
        stream=stream_quality(session.stream, float(record.time_s[-1])),
        operator=operator,
        run=measure(record, session.robot),
    )


def hand_tracking(
    record: RunRecord, off_target: Mapping[str, Iterable[tuple[float, float]]]
) -> dict[str, HandTracking]:
    """Both hands; the settled window ends when the load comes off.

    Args:
        record: The run.
        off_target: By side: time [s] and distance from the operator's target [m].
    """
    return {side: _hand(record, side, off_target[side]) for side in SIDES}


def base_motion(record: RunRecord) -> BaseMotion:
    """Spine, pelvis and centre of mass."""
    spine = record.q_upper_ref[:, 0]
    pitch = record.pelvis_pitch_ref_rad
    height, wanted = record.com_m[:, 2], record.com_ref_m[:, 2]
    return BaseMotion(
        spine_yaw_min_rad=float(spine.min()),
        spine_yaw_max_rad=float(spine.max()),
        pelvis_pitch_ref_max_rad=0.0 if pitch is None else float(pitch.max()),
        com_lowered_m=float(height[0] - height.min()),
        com_height_rmse_mm=_rms_mm((height - wanted)[:, None]),
    )


def stream_quality(stream: StreamedReference, duration_s: float) -> StreamQuality:
    """The counts of the control side."""
    received = stream.counts["received"]
    return StreamQuality(
        received=received,
        lost=stream.counts["lost"],
        not_used=stream.not_used,
        rate_hz=received / duration_s if duration_s > 0.0 else None,
    )


def result_text(result: TeleopResult) -> str:
    """The figures worth reading, as a table."""
    lines = [*_hand_lines(result), *_base_lines(result), *_stream_lines(result)]
    return lines_table(f"teleop, driven by {result.driver}", lines)


def _hand(
    record: RunRecord, side: str, off_target: Iterable[tuple[float, float]]
) -> HandTracking:
    tip = record.tips[side]
    error = tip.torso_m - tip.reference_torso_m
    way = tip.reference_torso_m - tip.reference_torso_m[0]
    settled = _settled(record.settings, record.time_s)
    rows = np.array(list(off_target)).reshape(-1, 2)
    aside = rows[_settled(record.settings, rows[:, 0]), 1:]
    distance = np.linalg.norm(error[settled], axis=1)
    return HandTracking(
        moved_m=float(np.linalg.norm(way, axis=1).max()),
        rmse_mm=_rms_mm(error),
        rmse_settled_mm=_rms_mm(error[settled]) if settled.any() else None,
        max_settled_mm=1e3 * float(distance.max()) if settled.any() else None,
        off_target_rmse_settled_mm=_rms_mm(aside) if len(aside) else None,
    )


def _settled(settings: RunSettings, time_s: Array) -> NDArray[np.bool_]:
    if settings.payload_kg == 0.0:
        return np.zeros(len(time_s), dtype=bool)
    end_s = settings.remove_at_s or np.inf
    start_s = settings.at_s + settings.ramp_s + SETTLED_S
    return (time_s >= start_s) & (time_s < end_s)


def _rms_mm(error_m: Array) -> float:
    """Of the length of rows."""
    return 1e3 * float(np.sqrt(np.mean(np.sum(error_m**2, axis=1))))


def _hand_lines(result: TeleopResult) -> list[Line]:
    lines = []
    for side, hand in result.hands.items():
        figures = {
            "moved_m": ("reference moved by", 1e3 * hand.moved_m),
            "rmse_mm": ("RMSE, whole run", hand.rmse_mm),
            "rmse_settled_mm": ("RMSE, loaded and settled", hand.rmse_settled_mm),
            "off_target_rmse_settled_mm": (
                "RMSE from the operator's target, the same",
                hand.off_target_rmse_settled_mm,
            ),
        }
        lines += [
            Line(
                key=f"{side}_{key}",
                label=f"{side} tip {label}",
                value=value,
                unit="mm",
                goal=LOADED_GOAL if key == "rmse_settled_mm" else None,
            )
            for key, (label, value) in figures.items()
        ]
    return lines


def _base_lines(result: TeleopResult) -> list[Line]:
    base = result.base
    turned = base.spine_yaw_max_rad - base.spine_yaw_min_rad
    return [
        Line(
            key="spine_turned_deg",
            label="spine turned by",
            value=float(np.degrees(turned)),
            unit="deg",
        ),
        Line(
            key="com_lowered_mm",
            label="centre of mass lowered by",
            value=1e3 * base.com_lowered_m,
            unit="mm",
        ),
    ]


def _stream_lines(result: TeleopResult) -> list[Line]:
    latency, lines = result.latency, []
    stages: dict[str, tuple[str, Percentiles | None]] = {
        "sample_to_received": ("sample to reference", latency.sample_to_received_ms),
        "received_to_torque": ("reference to torque", latency.received_to_torque_ms),
        "sample_to_torque": ("sample to torque", latency.sample_to_torque_ms),
    }
    for key, (label, stage) in stages.items():
        for name in ("p50", "p95"):
            value = None if stage is None else getattr(stage, name)
            lines.append(
                Line(
                    key=f"{key}_{name}",
                    label=f"{label}, {name}",
                    value=value,
                    unit="ms",
                )
            )
    stream = result.stream
    lines.append(
        Line(key="rate", label="references received", value=stream.rate_hz, unit="Hz")
    )
    lines.append(
        Line(
            key="lost",
            label="references lost",
            value=float(stream.lost),
            unit="",
            decimals=0,
        )
    )
    return lines
