"""Everything one run leaves behind, as arrays sampled at the control rate."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from models.arrays import Array
from scenarios.run.settings import RunSettings

SIDES = ("left", "right")


@dataclass(frozen=True, kw_only=True)
class PayloadSeries:
    """Payload report of one link, T ticks.

    Attributes:
        mass_kg: (T,) payload.
        sigma_mass_kg: (T,) its reported standard deviation.
        smallest_kg: (T,) smallest load that would have been noticed.
        com_m: (T, 3) its centre in the link's joint frame; NaN without a load.
        sigma_com_m: (T, 3) standard deviation of the centre.
        observability: (T, 10) gain of each channel, 0 to 1.
        state: (T,) what was believed about the link.
    """

    mass_kg: Array
    sigma_mass_kg: Array
    smallest_kg: Array
    com_m: Array
    sigma_com_m: Array
    observability: Array
    state: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class LinkSeries:
    """Truth and estimate of one estimated link, T ticks.

    Parameters are (T, 10) in Pinocchio's order [m, m c, I about the link's joint
    frame]; centres of mass are in that frame.

    Attributes:
        link: Name of the link.
        nominal: (10,) parameters of the robot file.
        truth: (T, 10) link with whatever load the plant holds.
        estimate: (T, 10) of the filter.
        published: (T, 10) after rate limiting, as written into the MPC's model.
        theta: (T, 10) deviation [alpha, d1..d3, s12, s23, s13, t1..t3]; NaN for an
            estimator that has none.
        sigma_mass_kg: (T,) standard deviation of the mass in the filter.
        payload: What was reported about a load; None if nobody reports.
    """

    link: str
    nominal: Array
    truth: Array
    estimate: Array
    published: Array
    theta: Array
    sigma_mass_kg: Array
    payload: PayloadSeries | None = None


@dataclass(frozen=True, kw_only=True)
class TipSeries:
    """One forearm tip, (T, 3) each.

    Attributes:
        world_m: Position in the world.
        torso_m: Position in the frame of the link that carries the arms.
        reference_torso_m: Position in that frame if the arm joints were at their
            references.
    """

    world_m: Array
    torso_m: Array
    reference_torso_m: Array


@dataclass(frozen=True, kw_only=True)
class BaseSeries:
    """Estimated state of the base, T ticks; its truth is in `RunRecord.q` and `v`.

    Attributes:
        position_m: (T, 3) in the world.
        quaternion_xyzw: (T, 4) base to world.
        twist: (T, 6) [linear, angular] in the base frame.
        contacts: (T, 2) whether left and right foot were taken for standing.
    """

    position_m: Array
    quaternion_xyzw: Array
    twist: Array
    contacts: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class SupervisionSeries:
    """The words of the estimator's supervisor over T ticks.

    Attributes:
        test_ratio: (T,) largest of the innovation gate; beyond 1 a row was left out.
        rows_left_out: (T,) torque rows that were not used.
        unexplained_kg: (T,) weight that no load on a forearm explains.
    """

    test_ratio: Array
    rows_left_out: Array
    unexplained_kg: Array


@dataclass(frozen=True, kw_only=True)
class Deadlines:
    """How a real-time run kept its deadlines.

    Attributes:
        control_missed: Control ticks without a plan before the next one.
        control_total: Control ticks there should have been.
        control_longest_row: Most ticks missed one after the other.
        steps_late: 1 kHz steps that began one period late or more.
        steps_total: Steps of the 1 kHz side.
        scheduler: Of the control and the plant process.
        memory_locked: In both processes.
        refused: What the system refused, one sentence each.
    """

    control_missed: int
    control_total: int
    control_longest_row: int
    steps_late: int
    steps_total: int
    scheduler: str
    memory_locked: bool
    refused: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """One run of a scenario.

    Attributes:
        settings: What was asked for.
        robot: Name of the robot.
        joint_names: Joints of the full model, in its order.
        time_s: (T,) plant time at each control tick.
        q: (T, nq) configuration of `Robot.full_model`, base quaternion xyzw; the true
            one, or where there is no truth what the robot saw.
        v: (T, nv) velocity, base twist in the base frame.
        tau_Nm: (T, n) joint torques applied.
        q_upper_ref: (T, m) upper-body references in force.
        com_m: (T, 3) true centre of mass, load included, in the mid-foot frame; NaN
            without truth, as are the wrenches, loads and links that follow from it.
        com_ref_m: (T, 3) its reference.
        pelvis_m: (T, 3) position of the root link in the mid-foot frame.
        wrench_true: (T, 2, 6) ground on left and right foot [N, Nm] at the soles.
        wrench_estimated: (T, 2, 6) from leg torques; zeros without estimator.
        payload_kg: (T, 2) load held left and right.
        links: Estimated links by side.
        tips: Forearm tips by side.
        status: (T,) name of the solve status.
        mode: (T,) name of the low-level mode.
        plan_cost: (T,) value of the objective.
        cost_by_term: Weighted cost of each row of Table I, (C,) at `cost_time_s`.
        cost_time_s: (C,) times of `cost_by_term`.
        timing_ms: (T,) duration of each stage by name.
        faults: How often each named fault occurred.
        events: (time, sentence) in order.
        fell: Whether the run ended on the floor.
        wall_s: Wall-clock duration of the run.
        torque_limit_Nm: (n,) effort limits.
        robot_mass_kg: True mass without loads; None for that of the robot file.
        pelvis_pitch_ref_rad: (T,) forward pitch asked for; None in older records.
        base: Estimate of the base the controller used; None if it saw the truth.
        deadlines: Of a real-time run; None in lock-step.
        supervision: Of the estimator; None without it, or if it has no supervisor.
        has_truth: Whether a simulator told the truth.
    """

    settings: RunSettings
    robot: str
    joint_names: tuple[str, ...]
    time_s: Array
    q: Array
    v: Array
    tau_Nm: Array
    q_upper_ref: Array
    com_m: Array
    com_ref_m: Array
    pelvis_m: Array
    wrench_true: Array
    wrench_estimated: Array
    payload_kg: Array
    links: dict[str, LinkSeries]
    tips: dict[str, TipSeries]
    status: tuple[str, ...]
    mode: tuple[str, ...]
    plan_cost: Array
    cost_by_term: dict[str, Array]
    cost_time_s: Array
    timing_ms: dict[str, Array]
    faults: dict[str, int]
    events: tuple[tuple[float, str], ...] = field(default=())
    fell: bool
    wall_s: float
    torque_limit_Nm: Array
    robot_mass_kg: float | None = None
    base: BaseSeries | None = None
    deadlines: Deadlines | None = None
    pelvis_pitch_ref_rad: Array | None = None
    supervision: SupervisionSeries | None = None
    has_truth: bool = True

    @property
    def drawn_loads_kg(self) -> Array:
        """(T, 2) loads for pictures: none where nobody knows."""
        return np.nan_to_num(self.payload_kg)
