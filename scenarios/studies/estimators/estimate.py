"""Estimates of one log, in numbers and as a table."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ekf import PayloadReport
from ekf.payload.payload_torque import locate
from scenarios.studies.estimators.estimation import Track, measure_track
from scenarios.studies.estimators.streams.samples import SampleCounts
from scenarios.studies.estimators.streams.stream import Stream
from scenarios.studies.estimators.tables import markdown, number
from scenarios.studies.estimators.weighing import PayloadRow


class ReportRow(msgspec.Struct, frozen=True, kw_only=True):
    """The additions of a supervised estimator.

    Attributes:
        state: What is believed about the link at the end.
        interval_kg: 95 % interval of the payload.
        smallest_kg: Smallest load that would be noticed.
        sigma_com_m: Standard deviation of the centre; None without a load.
        com_world_m: Centre in the world; None without a load.
        not_excited: Channels the last second says little about.
        events: What happened, one sentence each with its time.
    """

    state: str
    interval_kg: tuple[float, float]
    smallest_kg: float
    sigma_com_m: list[float] | None
    com_world_m: list[float] | None
    not_excited: list[str]
    events: list[str]


class EstimateRow(msgspec.Struct, frozen=True, kw_only=True):
    """One estimator on a log.

    Attributes:
        estimator: Its name.
        mass_kg: Payload at the end.
        sigma_mass_kg: Its standard deviation, as the estimator reports it.
        com_m: Centre of the payload in the frame of `link`; None without a mass.
        noise_kg: Standard deviation of the mass over the last second.
        time_to_10pct_s: If the log knows the truth.
        final_error_kg: Mean over the last second, if the log knows the truth.
        us_per_sample: Median duration of learning one sample.
        consistent: Whether link plus payload was a rigid body at every sample.
        samples: What became of the samples.
        report: Of an estimator that has one.
    """

    estimator: str
    mass_kg: float
    sigma_mass_kg: float
    com_m: list[float] | None
    noise_kg: float
    time_to_10pct_s: float | None
    final_error_kg: float | None
    us_per_sample: float
    consistent: bool
    samples: dict[str, int]
    report: ReportRow | None = None


class EstimateResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `wbmpc estimate` measures.

    Attributes:
        log: File or folder.
        robot: Its name.
        link: Link or frame that carries the payload.
        duration_s: From the first usable sample to the last.
        rate_hz: Mean number of usable samples a second.
        largest_gap_s: Longest time between two of them.
        samples: What became of the log's rows.
        remarks: What a user should know about the log, one sentence each.
        payload_true_kg: At the end, if the log knows it.
        payload: The answer of the whole log.
        rows: The estimators.
    """

    log: str
    robot: str
    link: str
    duration_s: float
    rate_hz: float
    largest_gap_s: float
    samples: SampleCounts
    remarks: tuple[str, ...]
    payload_true_kg: float | None
    payload: PayloadRow
    rows: list[EstimateRow]


def estimate_result(
    stream: Stream, tracks: Sequence[Track], payload: PayloadRow
) -> EstimateResult:
    """Estimates of a stream, in numbers."""
    time_s, truth = stream.log.time_s, stream.truth_kg
    duration_s = float(time_s[-1] - time_s[0])
    whole = SampleCounts(total=len(stream.log), used=len(stream.log))
    return EstimateResult(
        log=stream.notes or stream.name,
        robot=stream.robot.name,
        link=stream.robot.link,
        duration_s=duration_s,
        rate_hz=(len(time_s) - 1) / duration_s,
        largest_gap_s=float(np.max(np.diff(time_s))),
        samples=stream.samples or whole,
        remarks=stream.remarks,
        payload_true_kg=None if truth is None else float(truth[-1]),
        payload=payload,
        rows=[_row(stream, track) for track in tracks],
    )


def estimate_text(result: EstimateResult) -> str:
    """Lines about the log and a table."""
    true = result.payload_true_kg
    head = (
        f"{result.log}: {result.duration_s:.1f} s, {result.robot}, payload on "
        f"{result.link}{'' if true is None else f', {true:g} kg at the end'}\n"
        f"{result.samples.sentence()}, {result.rate_hz:.4g} a second, largest gap "
        f"{1e3 * result.largest_gap_s:.3g} ms"
    )
    told_payload = f"payload: {result.payload.verdict}: {result.payload.reason}"
    head = "\n".join((head, *result.remarks, told_payload))
    header = ("estimator", "mass [kg]", "sigma", "com [m]", "to 10% [s]", "us/sample")
    rows = [
        (
            row.estimator,
            number(row.mass_kg, 3),
            number(row.sigma_mass_kg, 3),
            "-" if row.com_m is None else " ".join(f"{x:+.3f}" for x in row.com_m),
            number(row.time_to_10pct_s),
            number(row.us_per_sample, 0),
        )
        for row in result.rows
    ]
    told = [line for row in result.rows for line in _report_lines(row)]
    return "\n\n".join(
        [head, markdown(header, rows), *(["\n".join(told)] * bool(told))]
    )


def _report_lines(row: EstimateRow) -> list[str]:
    """A report in words."""
    report = row.report
    if report is None:
        return []
    low, high = report.interval_kg
    weak = ", ".join(report.not_excited) or "none"
    return [
        f"{row.estimator}: {report.state}, {low:.2f} to {high:.2f} kg (95 %), "
        f"smallest load noticed {report.smallest_kg:.2f} kg, not excited: {weak}",
        *(f"  {event}" for event in report.events),
    ]


def _row(stream: Stream, track: Track) -> EstimateRow:
    measured = measure_track(track, stream)
    return EstimateRow(
        estimator=track.estimator,
        mass_kg=float(track.mass_kg[-1]),
        sigma_mass_kg=float(track.sigma_kg[-1]),
        com_m=_com_m(stream, track),
        noise_kg=measured.noise_kg,
        time_to_10pct_s=measured.time_to_10pct_s,
        final_error_kg=measured.final_error_kg,
        us_per_sample=track.us_per_sample,
        consistent=track.consistent,
        samples=track.counts,
        report=None if track.report is None else _report_row(track.report, track),
    )


def _report_row(report: PayloadReport, track: Track) -> ReportRow:
    known = report.mass_kg > 0.0
    return ReportRow(
        state=report.state.value,
        interval_kg=report.interval_kg,
        smallest_kg=report.smallest_kg,
        sigma_com_m=report.sigma_com_m.tolist() if known else None,
        com_world_m=report.com_world_m.tolist() if known else None,
        not_excited=list(report.not_excited),
        events=list(track.events),
    )


def _com_m(stream: Stream, track: Track) -> list[float] | None:
    if not track.payload[0] > 0.0:
        return None
    _, placement = locate(stream.robot.model, stream.robot.link)
    centre = placement.actInv(np.array(track.payload[1:4] / track.payload[0]))
    return [float(x) for x in centre]
