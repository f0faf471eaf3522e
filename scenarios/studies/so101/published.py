"""Published figures of the same task, for the column beside ours.

Source: github.com/0xshinobii/so101-rt-control, RESULTS.md, phases 4, 5 and 7.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Published:
    """Figures of one row; None where none was published."""

    arm_rms_rad: float | None = None
    ee_miss_m: float | None = None
    peak_torque_Nm: float | None = None
    raw_mass_kg: float | None = None


TABLE: dict[tuple[float, str, str], Published] = {
    (0.0, "PD", "-"): Published(arm_rms_rad=0.009959, ee_miss_m=0.014012),
    (0.0, "computed torque", "n/a"): Published(
        arm_rms_rad=0.002933, ee_miss_m=0.000327, peak_torque_Nm=1.360
    ),
    (0.0, "CT + RLS", "estimated"): Published(raw_mass_kg=-0.009628),
    (0.1, "computed torque", "no"): Published(
        arm_rms_rad=0.008030, ee_miss_m=0.010438, peak_torque_Nm=1.640
    ),
    (0.1, "CT + RLS", "estimated"): Published(
        arm_rms_rad=0.002494,
        ee_miss_m=0.000877,
        peak_torque_Nm=1.637,
        raw_mass_kg=0.093058,
    ),
    (0.2, "PD", "-"): Published(arm_rms_rad=0.021612, ee_miss_m=0.029999),
    (0.2, "computed torque", "no"): Published(
        arm_rms_rad=0.015351, ee_miss_m=0.020944, peak_torque_Nm=1.917
    ),
    (0.2, "CT + RLS", "estimated"): Published(
        arm_rms_rad=0.002545,
        ee_miss_m=0.000646,
        peak_torque_Nm=1.919,
        raw_mass_kg=0.192716,
    ),
    (0.2, "computed torque", "yes"): Published(
        arm_rms_rad=0.002840, ee_miss_m=0.000184, peak_torque_Nm=1.923
    ),
}
"""By payload, controller and model."""
RECOVERY_RMS, RECOVERY_EE = 1.024, 0.978
"""At 0.2 kg."""

HARDWARE_RMS_RAD: dict[tuple[float, str], float] = {
    (0.09, "PD"): 0.0268,
    (0.09, "CT, empty model"): 0.0093,
    (0.09, "CT, static raw"): 0.0127,
    (0.09, "CT, static calibrated"): 0.0064,
    (0.18, "PD"): 0.0356,
    (0.18, "CT, empty model"): 0.0177,
    (0.18, "CT, static calibrated"): 0.0097,
}
"""Of the real arm, pooled over the joints before the wrist's roll."""
HARDWARE_MASS_KG: dict[tuple[float, str], float] = {
    (0.09, "CT, motion RLS"): 0.0008,
    (0.18, "CT, motion RLS"): 0.0094,
    (0.09, "CT, static calibrated"): 0.0828,
    (0.18, "CT, static calibrated"): 0.1760,
}
"""Estimates of the real arm."""
JITTER_P99_US, JITTER_P999_US = 6.18, 11.34
"""PREEMPT_RT on an i7-7700 under load."""
