"""Typed settings of a robot: everything the URDF does not say.

Every struct is frozen and refuses unknown keys, so a misspelt weight is an error
and never a silent no-op. Sizes are SI: m, rad, kg, N, Nm, s.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

Positive = Annotated[float, msgspec.Meta(gt=0)]
NonNegative = Annotated[float, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=1, le=1000)]
"""Of nodes or iterations: more take longer than anyone waits."""
ThreadCount = Annotated[int, msgspec.Meta(ge=1, le=256)]
"""OpenMP ends the process when it can not make so many."""

Rows = Annotated[tuple[NonNegative, ...], msgspec.Meta(min_length=1)]
"""Per-row values; a single entry is broadcast over all rows."""


class _Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all settings: immutable, unknown keys refused."""


class FrameSettings(_Settings, frozen=True, kw_only=True):
    """A frame that the URDF does not have."""

    parent: str
    """Link it is fixed to."""
    position_m: tuple[float, float, float]
    """Of its origin, in the parent's frame."""
    rpy_rad: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Roll, pitch, yaw about the parent's fixed axes, as in a URDF."""


class SoleSettings(_Settings, frozen=True, kw_only=True):
    """A rectangular sole, centred at its frame, z pointing up out of the ground."""

    frame: str
    """Frame at the centre of the sole's bottom face."""
    half_length_m: Positive
    half_width_m: Positive


class ArmSettings(_Settings, frozen=True, kw_only=True):
    """What carries a payload: the link that is estimated and the tip it is held at."""

    link: str
    """Link whose inertia the estimator adapts (the forearm)."""
    tip_frame: str
    """Frame of the payload and of the tracking figures."""


class GroupSettings(_Settings, frozen=True, kw_only=True):
    """Joint names of each kinematic sub-chain, root to tip (paper, section III-B)."""

    left_leg: tuple[str, ...]
    right_leg: tuple[str, ...]
    spine: tuple[str, ...]
    left_arm: tuple[str, ...]
    right_arm: tuple[str, ...]
    neck: tuple[str, ...] = ()
    """Locked out of the controller's model, held by a PD in the plant."""
    locked: tuple[str, ...] = ()
    """Treated like the neck: wrists that only have to hold a load, for instance."""
    welded: tuple[str, ...] = ()
    """No joints at all, neither in the controller nor in the plant: fingers."""


class JointGains(_Settings, frozen=True, kw_only=True):
    """Joint-space PD gains of one group."""

    kp_Nm_per_rad: NonNegative
    kd_Nms_per_rad: NonNegative


class LowLevelSettings(_Settings, frozen=True, kw_only=True):
    """1 kHz joint PD around the plan (paper, section III-D)."""

    legs: JointGains
    spine: JointGains
    arms: JointGains
    neck: JointGains
    locked: JointGains = JointGains(kp_Nm_per_rad=100.0, kd_Nms_per_rad=2.0)
    joints: dict[str, JointGains] = {}
    """Gains of single joints, by name, instead of their group's. A joint that moves
    little inertia oscillates under its group's damping at 1 kHz."""


class PlantSettings(_Settings, frozen=True, kw_only=True):
    """Physics the simulator needs and a URDF does not carry."""

    friction: Positive = 0.8
    """Sliding friction coefficient between soles and floor."""
    joint_damping_Nms_per_rad: NonNegative = 0.05
    joint_friction_Nm: NonNegative = 0.01
    urdf_dynamics: bool = False
    """Take damping and friction from the URDF's <dynamics> where a joint has one. The
    controller knows of neither."""
    armature_kgm2: dict[str, NonNegative] = {}
    """Reflected rotor inertia by joint name; used by plant and controller alike."""


class MeasuredFriction(_Settings, frozen=True, kw_only=True):
    """Friction of one joint, as identified."""

    coulomb_Nm: NonNegative
    viscous_Nms_per_rad: NonNegative = 0.0


class JointFrictionSettings(_Settings, frozen=True, kw_only=True):
    """What is known of the real robot's joint friction, beyond `PlantSettings`.

    Low level and estimator take it into account where the plant has it; the clean plant
    has none. Zero: nothing is known, nothing is compensated.
    """

    coulomb_share: NonNegative = 0.0
    """Dry friction [share of a joint's effort limit]."""
    viscous_share_s: NonNegative = 0.0
    """Viscous friction [Nms/rad per Nm of effort limit]."""
    smoothing_rad_per_s: Positive = 0.02
    """Below this velocity the direction of motion, hence of dry friction, is unsure:
    its sign is tanh(v / v0). Not below the noise of the measured velocity."""
    joints: dict[str, MeasuredFriction] = {}
    """Of single joints, by name, instead of the shares."""


class SecondOrderCost(_Settings, frozen=True, kw_only=True):
    """Response residual r = e'' + Kd e' + Kp e."""

    weight: NonNegative
    rows: Rows = (1.0,)
    """Relative weight of each residual row."""
    kp: Rows
    """[1/s^2]"""
    kd: Rows
    """[1/s]"""


class FirstOrderCost(_Settings, frozen=True, kw_only=True):
    """Response residual r = e' + A e."""

    weight: NonNegative
    rows: Rows = (1.0,)
    gain: Rows
    """Diagonal of A [1/s]."""


class RegularizationCost(_Settings, frozen=True, kw_only=True):
    """Plain residual r = e."""

    weight: NonNegative
    rows: Rows = (1.0,)


class GroupRegularizationCost(_Settings, frozen=True, kw_only=True):
    """Plain residual with one relative weight a joint group."""

    weight: NonNegative
    base: NonNegative = 1.0
    legs: NonNegative = 1.0
    spine: NonNegative = 1.0
    arms: NonNegative = 1.0


class StateRegularizationCost(_Settings, frozen=True, kw_only=True):
    """Residual x (-) x_des on the legs."""

    weight: NonNegative
    position: Rows = (1.0,)
    """Relative weights of one leg's joint positions, root to tip; both legs alike."""
    velocity: Rows = (1.0,)


class WrenchConeCost(_Settings, frozen=True, kw_only=True):
    """Quadratic barrier on the wrench cone."""

    weight: NonNegative
    friction: Positive
    """Friction coefficient the controller trusts (below the real one)."""
    margin_N: NonNegative = 25.0
    """Smallest normal force of a foot."""
    support_scale: Positive = 1.0
    """Share of the sole's half sizes that the CoP may use."""


class CostSettings(_Settings, frozen=True, kw_only=True):
    """The eleven cost terms of Table I, by name."""

    upper_body_tracking: SecondOrderCost
    center_of_mass: SecondOrderCost
    pelvis_orientation: SecondOrderCost
    foot_placement: SecondOrderCost
    angular_momentum: FirstOrderCost
    lower_body_state: StateRegularizationCost
    acceleration: GroupRegularizationCost
    torque: GroupRegularizationCost
    wrench: RegularizationCost
    center_of_pressure: RegularizationCost
    wrench_cone: WrenchConeCost


class MpcSettings(_Settings, frozen=True, kw_only=True):
    """The optimal control problem and how it is solved."""

    nodes: Count = 30
    """Horizon length K."""
    node_dt_s: Annotated[float, msgspec.Meta(ge=1e-3, le=0.5)] = 0.02
    tick_dt_s: Annotated[float, msgspec.Meta(ge=1e-3, le=0.1)] = 0.01
    iterations: Count = 1
    """FDDP iterations a tick."""
    threads: ThreadCount = 1
    """Threads of a solve; more than one makes runs differ in the last bits."""
    baumgarte: tuple[NonNegative, NonNegative] = (0.0, 20.0)
    """Position and velocity gain of the 6D contacts [1/s^2, 1/s]."""
    realtime_iteration: bool = False
    """Solve at the state predicted for the next tick and close the gap to the measured
    state with the solver's gains, at the low level's rate. Off: window washing gains
    margin at the edge of the feet, but tracks its references one tick later."""
    delay_ticks: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Ticks from a measurement until its plan is followed: the time a solve takes, as
    lock-step runs see it. A real-time run has its own delay."""
    literal_responses: bool = False
    """Leave the highest derivative out of the response residuals, as Table I prints."""
    regularization: Positive = 1e-9
    """Initial and smallest FDDP regularisation."""
    disabled: tuple[str, ...] = ()
    """Cost terms to leave out, by name."""
    costs: CostSettings


class EstimatorSettings(_Settings, frozen=True, kw_only=True):
    """Inertial EKF, Table III of the paper; variances a 10 ms tick."""

    process_alpha: NonNegative = 1e-3
    process_d: NonNegative = 1e-2
    process_s: NonNegative = 1e-2
    process_t: NonNegative = 1e-2
    prior_d: Positive = 1e-2
    prior_s: Positive = 1e-2
    prior_alpha: Positive = 1e2
    """Used by the `all` regime only; weak, so that it only stops slow drift."""
    prior_t: Positive = 1e2
    """Used by the `all` regime only."""
    torque_base_force: Positive = 1e3
    """Force rows of the floating base [N^2]."""
    torque_base_moment: Positive = 1e2
    """Moment rows of the floating base [Nm^2]. Table III has 1e3 here too; at 1e2, as
    for the joints, the centre of mass stays in its band after a step load (1.5 s sooner
    on window washing), because the base feels where the load is."""
    torque_spine: Positive = 1e3
    torque_arms: Positive = 1e2
    torque_legs: Positive = 1e2
    initial_variance: Positive = 1e-2
    cutoff_hz: Positive = 20.0
    """Low pass of q, v, vdot and tau alike."""
    max_mass_rate_kg_per_s: Positive = 250.0
    """Of the published mass. Fast, because a controller that believes in a load which
    is no longer there is far too stiff for the bare arm: at 40 kg/s the robot falls
    when 5 kg vanish at once."""
    max_moment_rate_kgm_per_s: Positive = 100.0
    max_inertia_rate_kgm2_per_s: Positive = 50.0


class RobotSettings(_Settings, frozen=True, kw_only=True):
    """One robot: names, home pose, gains, weights. The URDF holds the rest."""

    name: str
    urdf: str
    """URDF file beside this settings file, a path, or `example-robot-data:NAME`."""
    root_link: str
    groups: GroupSettings
    frames: dict[str, FrameSettings] = {}
    """Frames to add to those of the URDF, by name."""
    left_sole: SoleSettings
    right_sole: SoleSettings
    left: ArmSettings
    right: ArmSettings
    home: dict[str, float]
    """Joint angles [rad] of the home pose by joint name; others are zero."""
    poses: dict[str, dict[str, float]] = {}
    """Spine and arm angles [rad] by joint name of poses that scenarios ask for; others
    stay at home."""
    plant: PlantSettings
    low_level: LowLevelSettings
    joint_friction: JointFrictionSettings = JointFrictionSettings()
    mpc: MpcSettings
    estimator: EstimatorSettings = EstimatorSettings()
