"""Text that `wbmpc so101` prints."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.studies.estimators.tables import markdown
from scenarios.studies.so101 import published
from scenarios.studies.so101.bench import ArmBenchResult, BenchRow
from scenarios.studies.so101.calibrate import CalibrationResult
from scenarios.studies.so101.jitter import JitterResult
from scenarios.studies.so101.servo import (
    ArmServoResult,
    CauseRow,
    DesignRow,
    ServoFigures,
    TrackingRow,
)

_PUBLISHED_RECOVERY = (
    f" (published: {100.0 * published.RECOVERY_RMS:.1f} %, "
    f"{100.0 * published.RECOVERY_EE:.1f} %)"
)


def bench_text(result: ArmBenchResult) -> str:
    """Gate, table and recovery, published figures in brackets."""
    gate = result.gate
    parts = [
        f"gate: gravity {gate.gravity_Nm:.2e} Nm, bias {gate.bias_Nm:.2e} Nm, "
        f"mass matrix {gate.mass_matrix:.2e} kg m^2",
        markdown(
            (
                "payload [kg]",
                "controller",
                "model knows payload",
                "arm RMS [rad]",
                "EE miss [m]",
                "peak torque [Nm]",
                "raw mass [kg]",
            ),
            [_bench_row(row) for row in result.rows],
        ),
    ]
    parts += [
        f"gap recovered at {r.payload_kg:g} kg: {100.0 * r.rms:.1f} % of the RMS, "
        f"{100.0 * r.ee_miss:.1f} % of the miss"
        + (_PUBLISHED_RECOVERY if r.payload_kg == 0.2 else "")
        for r in result.recovery
    ]
    return "\n\n".join(parts)


def servo_text(result: ArmServoResult) -> str:
    """Causes, scale, servos, tracking and designs."""
    scale, masses = result.scale, list(result.causes[0].raw_mass_kg)
    parts = [
        "motion RLS, cause by cause [kg]",
        _causes(result.causes),
        f"scale at rest: raw = {scale.slope:.5f} true {scale.offset_kg:+.5f} kg, "
        f"RMSE {1e3 * scale.rmse_kg:.2f} g, R^2 {scale.r_squared:.5f}; torque constant "
        f"{scale.torque_constant_Nm_per_A:.2f} Nm/A from the empty arm",
        "servos calibrated on the empty arm (simulated truth in brackets)",
        _servos(result.servos),
        "tracking on servos (the real arm's figures in brackets)",
        markdown(
            [
                "payload [kg]",
                "controller",
                "RMS of 4 joints [rad]",
                "arm RMS [rad]",
                "EE miss [m]",
                "mass used [kg]",
            ],
            [_tracking_row(row) for row in result.tracking],
        ),
        "designs of an estimator in motion, raw mass at the end [kg]",
        _designs(result.designs, result.twins),
        f"the moving estimator with {masses[-1]} kg after something changed",
        markdown(
            ["change since the calibration", "error [kg]"],
            [[row.change, f"{row.error_kg:+.4f}"] for row in result.sensitivity],
        ),
    ]
    return "\n\n".join(parts)


def _causes(rows: Sequence[CauseRow]) -> str:
    masses = list(rows[0].raw_mass_kg)
    header = [f"{word} at {m} kg" for word in ("raw", "used") for m in masses]
    return markdown(
        ["cause", *header],
        [
            [
                row.cause,
                *(f"{value:.4f}" for value in row.raw_mass_kg.values()),
                *(f"{value:.4f}" for value in row.mass_kg.values()),
            ]
            for row in rows
        ],
    )


def _servos(servos: ServoFigures) -> str:
    figures = zip(
        servos.joints,
        servos.stiffness_Nm_per_rad,
        servos.true_stiffness_Nm_per_rad,
        servos.coulomb_Nm,
        servos.viscous_Nms_per_rad,
        strict=True,
    )
    return markdown(
        ["joint", "stiffness [Nm/rad]", "Coulomb [Nm]", "viscous [Nm s/rad]"],
        [
            [name, f"{k:.2f} ({true:.2f})", f"{c:.3f}", f"{d:.3f}"]
            if k
            else [name, "did not move", "-", "-"]
            for name, k, true, c, d in figures
        ],
    )


def _designs(rows: Sequence[DesignRow], twins: int) -> str:
    masses = (f"{mass} kg" for mass in rows[0].raw_mass_kg)
    return markdown(
        ["design", *masses, f"RMS error, {twins} twins", "largest"],
        [
            [
                row.design,
                *(f"{value:.4f}" for value in row.raw_mass_kg.values()),
                _number(row.rms_error_kg),
                _number(row.worst_error_kg),
            ]
            for row in rows
        ],
    )


def calibration_text(result: CalibrationResult) -> str:
    """The line, its statistics and the points."""
    lines = [
        f"raw = {result.slope:.5f} true {result.offset_kg:+.5f} kg",
        f"RMSE {1e3 * result.rmse_kg:.2f} g, residual standard error "
        f"{_grams(result.standard_error_kg)} (n - p = {len(result.points) - 2}), "
        f"R^2 {result.r_squared:.5f}, largest residual "
        f"{1e3 * result.largest_residual_kg:.2f} g, leave-one-out RMSE "
        f"{_grams(result.leave_one_out_rmse_kg)}",
        markdown(
            (
                "true [kg]",
                "raw [kg]",
                "corrected [kg]",
                "residual [g]",
                "left out [g]",
            ),
            [
                [
                    f"{p.true_kg:.5f}",
                    f"{p.raw_kg:.5f}",
                    f"{p.corrected_kg:.5f}",
                    f"{1e3 * p.residual_kg:+.2f}",
                    _grams(p.leave_one_out_kg, unit=""),
                ]
                for p in result.points
            ],
        ),
    ]
    lines += [f"{raw} kg -> {mass:.4f} kg" for raw, mass in result.mapped_kg.items()]
    return "\n\n".join(lines)


def jitter_text(result: JitterResult) -> str:
    """Percentiles in microseconds, and what was refused."""
    header = ("scheduler", "min", "mean", "p99", "p99.9", "max", "missed")
    rows = [
        [
            row.scheduler,
            *(
                f"{value:.1f}"
                for value in (
                    row.min_us,
                    row.mean_us,
                    row.p99_us,
                    row.p999_us,
                    row.max_us,
                )
            ),
            str(row.missed),
        ]
        for row in result.rows
    ]
    return "\n\n".join(
        [
            f"lateness of {result.cycles} wake-ups every {result.period_us:g} us [us]",
            markdown(header, rows),
            f"published, PREEMPT_RT under load: p99 {published.JITTER_P99_US} us, "
            f"p99.9 {published.JITTER_P999_US} us",
            *result.refused,
        ]
    )


def _bench_row(row: BenchRow) -> list[str]:
    key = (row.payload_kg, row.controller, row.model)
    theirs = published.TABLE.get(key, published.Published())
    return [
        f"{row.payload_kg:g}",
        row.controller,
        row.model,
        _beside(row.arm_rms_rad, theirs.arm_rms_rad, 6),
        _beside(row.ee_miss_m, theirs.ee_miss_m, 6),
        _beside(row.peak_torque_Nm, theirs.peak_torque_Nm, 3),
        _beside(row.raw_mass_kg, theirs.raw_mass_kg, 6),
    ]


def _tracking_row(row: TrackingRow) -> list[str]:
    key = (row.payload_kg, row.controller)
    return [
        f"{row.payload_kg:g}",
        row.controller,
        _beside(row.rms_rad, published.HARDWARE_RMS_RAD.get(key), 4),
        f"{row.arm_rms_rad:.4f}",
        f"{row.ee_miss_m:.4f}",
        _beside(row.mass_kg, published.HARDWARE_MASS_KG.get(key), 4),
    ]


def _beside(ours: float | None, theirs: float | None, digits: int) -> str:
    text = "-" if ours is None else f"{ours:.{digits}f}"
    return text if theirs is None else f"{text} ({theirs:.{digits}f})"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _grams(value_kg: float | None, unit: str = " g") -> str:
    return "-" if value_kg is None else f"{1e3 * value_kg:.2f}{unit}"
