"""Results of a run: every key ends in its unit, an unknown value is None.

Two windows: *settled*, from 2 s after the load is fully on until it comes off or the
run ends, and *whole*, from the instant of loading.
"""

from __future__ import annotations

import msgspec


class AxisErrors(msgspec.Struct, frozen=True, kw_only=True):
    """Error by axis over one window."""

    rmse_x_mm: float | None = None
    rmse_y_mm: float | None = None
    rmse_z_mm: float | None = None
    bias_x_mm: float | None = None
    bias_y_mm: float | None = None
    bias_z_mm: float | None = None


class TipMetrics(AxisErrors, frozen=True, kw_only=True):
    """Error of a forearm tip; the plain keys are in the world, settled window."""

    whole: AxisErrors
    """In the world, whole window from loading."""
    torso: AxisErrors
    """Relative to the link that carries the arms, settled window."""
    torso_whole: AxisErrors
    reference: AxisErrors
    """Relative to the torso, against the joint references; needs no twin."""


class LinkMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Estimate of one link against truth.

    Deviations alpha, d, s, t are RMS over the settled window of the norm (Table V);
    `*_end`, masses and centres of mass are means over the last second of the load.
    Without estimator only the truth is known.
    """

    side: str
    mass_kg: float | None = None
    mass_true_kg: float | None = None
    mass_noise_kg: float | None = None
    """Standard deviation of the estimate over the last second."""
    com_m: tuple[float, ...] | None = None
    com_true_m: tuple[float, ...] | None = None
    sigma_mass_kg: float | None = None
    """Of the filter's covariance; a payload's report has an interval of its own."""
    alpha: float | None = None
    d: float | None = None
    s: float | None = None
    t: float | None = None
    alpha_end: float | None = None
    d_end: tuple[float, ...] | None = None
    s_end: tuple[float, ...] | None = None
    t_end: tuple[float, ...] | None = None
    t3_end: float | None = None
    time_to_10pct_s: float | None = None
    """From loading until mass and centre of mass stay within 10 % of truth."""
    mass_time_to_10pct_s: float | None = None
    """From loading until the link's mass alone stays within 10 %."""
    com_time_to_10pct_s: float | None = None
    """From loading until its centre of mass alone stays within 10 %."""
    payload_time_to_10pct_s: float | None = None
    """From loading until the payload's mass alone stays within 10 %."""
    mass_after_removal_kg: float | None = None
    time_to_removed_s: float | None = None
    """From removal until the mass stays within 0.3 kg of truth."""
    pseudo_inertia_min_eigenvalue: float | None = None
    """Smallest over all ticks of what was estimated or published; None where that was
    nominal all the time, which says nothing about the estimator."""


class PayloadMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Payload report of one forearm.

    Times are None if it never happened, or if nobody knows the true load.
    """

    state: str
    """Belief when a load was whole last, or at the end of a run without one."""
    payload_kg: float
    """Mean over the last second before that."""
    sigma_kg: float
    """Reported standard deviation, at the same time."""
    noise_kg: float
    """Standard deviation of the report, at the same time."""
    smallest_kg: float
    """Smallest load that would have been noticed, at the same time."""
    state_after_removal: str | None = None
    """Belief at the end of the run; None if the load was never off again."""
    payload_after_removal_kg: float | None = None
    """What it believed in then."""
    attaches: int | None
    """How often a load came on."""
    attach_delay_s: float | None
    """Longest time from a load to its being noticed."""
    to_10pct_s: float | None
    """Longest time from a load to within 10 % of it, for good."""
    detach_delay_s: float | None
    """Longest time from a removal to nominal."""
    false_s: float | None
    """Time a load was believed in without one."""
    inside_95_pct: float | None
    """Share of the time a load was tracked in which it was inside the interval."""


class ComMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Centre of mass in the mid-foot frame."""

    drift_mm: float | None
    """Horizontal, from the last second before loading to the last second."""
    spread_mm: dict[str, float | None]
    """Largest minus smallest value over the run, by axis."""


class GroundMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Contact with the floor, whole window from loading."""

    cop_min_margin_mm: float | None
    """Smallest distance of the CoP from the polygon's edge, negative outside."""
    vertical_error_rms_pct: float | None
    """Estimated against true vertical force, in % of weight."""
    vertical_error_bias_pct: float | None
    weight_error_pct: float | None
    """Mean true vertical force against robot and load times g."""


class BaseErrorMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Estimated base against the simulator's, RMS over the whole run.

    By axis: position in the world, orientation as the rotation vector from truth to
    estimate in base axes, velocities in base axes.
    """

    position_rms_mm: dict[str, float | None]
    position_max_mm: float | None
    """Largest distance."""
    orientation_rms_deg: dict[str, float | None]
    orientation_max_deg: float | None
    """Largest angle."""
    linear_velocity_rms_mm_per_s: dict[str, float | None]
    angular_velocity_rms_mrad_per_s: dict[str, float | None]
    standing_pct: dict[str, float | None]
    """Share of time each foot was taken for standing."""


class StageTiming(msgspec.Struct, frozen=True, kw_only=True):
    """Percentiles of one stage's duration in ms."""

    p50: float
    p95: float
    p99: float
    max: float


class DeadlineMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """How a real-time run kept its deadlines."""

    control_missed_pct: float
    """Control ticks that had no plan before the next one began."""
    control_missed: int
    control_longest_row: int
    """Most of them one after the other."""
    steps_late_pct: float
    """1 kHz steps that began one period late or more; they are caught up."""
    scheduler: str
    """Of the control and the plant process."""
    memory_locked: bool
    refused: tuple[str, ...]
    """Requests that the system refused, one sentence each."""


class RunMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """One run in numbers."""

    scenario: str
    robot: str
    estimator: bool
    estimator_name: str
    """Which one; `none` without."""
    prior: str
    seed: int
    duration_s: float
    fell: bool
    real_time_factor: float | None
    payload_kg: float
    arm: str
    links: dict[str, LinkMetrics]
    payloads: dict[str, PayloadMetrics] | None = None
    """Payload report by side; None if nobody reports."""
    tip: dict[str, TipMetrics]
    elbow_rms_deg: dict[str, float | None]
    """Elbow against its reference, settled window."""
    com: ComMetrics
    ground: GroundMetrics
    plant: str = "clean"
    """Name of the plant."""
    base_estimator: str | None = None
    """Where the base's state came from; None if from the simulator."""
    base_error: BaseErrorMetrics | None = None
    joint_velocity_rms_rad_per_s: float | None
    torque_saturated_pct: float | None
    """Share of joint torques at their limit."""
    published_positive_definite: bool | None
    """Every inertia written into the MPC was a possible body."""
    timing_ms: dict[str, StageTiming]
    deadlines: DeadlineMetrics | None = None
    """None in lock-step."""
    experiment: msgspec.Struct | None = None
    """Figures of the paper's experiment, where the scenario has some."""
    solve_status: dict[str, int]
    faults: dict[str, int]
    events: list[str]
    versions: dict[str, str | None]
