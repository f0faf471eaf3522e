"""Loads that suit a robot: the paper's share of its weight, if the body holds it."""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec
import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.frame_names import frame_index
from scenarios.library.motions.body_scale import mass_ratio
from teleop.reference_track import STREAM_RATE_HZ, ReferenceTrack
from wbmpc.conventions import GRAVITY_M_PER_S2
from wbmpc.reference import UPPER_BODY, Reference, home_reference
from wbmpc.robot import BASE, Robot

TORQUE_SHARE = 0.8
"""Of an effort limit that holding a load still may take; the rest moves it."""
LOAD_STEP_KG = 0.05
FIRST_JOINT = 2
"""Pinocchio's index of the joint after the world and the floating base."""
POSE_EVERY_S = 0.2


class ArmStrength(msgspec.Struct, frozen=True, kw_only=True):
    """Load that each loaded arm can hold still in the worst of some poses."""

    load_kg: float
    """With `TORQUE_SHARE` of the effort limits."""
    full_load_kg: float
    """With all of them."""
    joint: str
    """Where the first ends."""
    limit_Nm: float
    """Its effort limit."""

    def sentence(self) -> str:
        """In words."""
        share = f"{100 * TORQUE_SHARE:.0f} % of its torques"
        least = f"(least: {self.joint}, {self.limit_Nm:g} Nm)"
        if self.load_kg == 0.0:
            return f"cannot hold its own arms with {share} {least}"
        return f"can hold {self.load_kg:.2f} kg with {share} {least}"


class SuitedLoad(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario's load for a robot.

    Attributes:
        load_kg: On each loaded arm.
        wanted_kg: The paper's, by weight.
        weight_share: Of all loaded arms together.
        strength: Of the loaded arms and the spine in the scenario's poses.
    """

    load_kg: float
    wanted_kg: float
    weight_share: float
    strength: ArmStrength

    def sentence(self, robot: str) -> str:
        """How much is loaded, and why."""
        share = f"{100 * self.weight_share:.1f} % of its weight"
        told, papers = f"{self.load_kg:.2f} kg", f"{self.wanted_kg:.2f} kg"
        reason = (
            "as in the paper" if told == papers else f"less than the paper's {papers}"
        )
        return (
            f"{robot}: {told} an arm, {share}, {reason}; it {self.strength.sentence()}"
        )

    def warning(self, robot: str, load_kg: float) -> str | None:
        """What to expect of a load beyond what the arms can hold; None of others."""
        if load_kg <= self.strength.load_kg:
            return None
        most = f"{self.strength.full_load_kg:.2f} kg with all of them"
        if self.strength.full_load_kg == 0.0:
            most = "not even with all of them"
        expected = "there is little left to move it with"
        if load_kg > self.strength.full_load_kg:
            expected = "expect torques at their limits, and hands far below their path"
        return (
            f"{load_kg:.2f} kg per arm is more than {robot} can hold in this scenario: "
            f"it {self.strength.sentence()}, {most}; {expected}"
        )


def suited_load(
    robot: Robot, track: ReferenceTrack, papers_kg: float, sides: Iterable[str]
) -> SuitedLoad:
    """The paper's load scaled by weight, no more than the arms can hold.

    Args:
        robot: Robot description.
        track: The scenario's references.
        papers_kg: On each arm of the paper's robot.
        sides: Loaded arms.
    """
    loaded = tuple(sides)
    wanted_kg = papers_kg * mass_ratio(robot)
    strength = _strength(robot, loaded, _poses(robot, track))
    load_kg = wanted_kg
    if strength.load_kg < wanted_kg:
        load_kg = math.floor(strength.load_kg / LOAD_STEP_KG) * LOAD_STEP_KG
    total_kg = load_kg * len(loaded)
    return SuitedLoad(
        load_kg=round(load_kg, 6),
        wanted_kg=wanted_kg,
        weight_share=total_kg / pin.computeTotalMass(robot.full_model),
        strength=strength,
    )


def arm_strength(robot: Robot, side: str) -> ArmStrength:
    """Load that an arm can hold at home and in the poses of the robot's settings."""
    poses = [robot.home_q_full]
    for pose in robot.settings.poses.values():
        q = robot.home_q_full.copy()
        for name, angle in pose.items():
            q[7 + robot.joint_names.index(name)] = angle
        poses.append(q)
    return _strength(robot, (side,), poses)


def _poses(robot: Robot, track: ReferenceTrack) -> list[Array]:
    """Configurations of `full_model` along a track, the pelvis where it is at home."""
    columns = 7 + robot.joints_full(*UPPER_BODY)
    poses = []
    for time_s in np.arange(0.0, len(track.q_upper) / STREAM_RATE_HZ, POSE_EVERY_S):
        reference = track.at(float(time_s))
        q = robot.home_q_full.copy()
        q[3:7] = _base_quaternion(robot, reference)
        q[columns] = reference.q_upper
        poses.append(q)
    return poses


def _base_quaternion(robot: Robot, reference: Reference) -> Array:
    """The home base, turned as the pelvis is."""
    home = home_reference(robot).rotation_pelvis_to_midfoot
    turned = reference.rotation_pelvis_to_midfoot @ home.T
    base = pin.Quaternion(robot.home_q_full[3:7]).toRotationMatrix()
    xyzw: Array = pin.Quaternion(turned @ base).coeffs()
    return xyzw


def _strength(
    robot: Robot, sides: tuple[str, ...], poses: Iterable[Array]
) -> ArmStrength:
    """Largest load m on each side with |g_i + m k_i| within the limits in every pose.

    g is the robot's own gravity torque and k = sum over sides of J^T (0, 0, g) that of
    1 kg at every loaded tip; joints i are those of the loaded arms and the spine.
    """
    model = robot.full_model
    data = model.createData()
    tips = [frame_index(model, robot.arms[side].tip_frame) for side in sides]
    carriers = {
        j for tip in tips for j in model.supports[model.frames[tip].parentJoint]
    }
    rows = [joint - FIRST_JOINT for joint in sorted(carriers) if joint >= FIRST_JOINT]
    limits = robot.torque_limits_full_Nm[rows]
    shares = np.array([[TORQUE_SHARE], [1.0]])
    loads = np.full((2, len(rows)), np.inf)
    for q in poses:
        own = pin.computeGeneralizedGravity(model, data, q)[BASE:][rows]
        by_kg = GRAVITY_M_PER_S2 * sum(
            pin.computeFrameJacobian(model, data, q, tip, pin.LOCAL_WORLD_ALIGNED)[
                2, BASE:
            ][rows]
            for tip in tips
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            spare = (shares * limits - np.sign(by_kg) * own) / np.abs(by_kg)
        loads = np.fmin(loads, spare)
    weakest = int(np.argmin(loads[0]))
    joint = rows[weakest]
    return ArmStrength(
        load_kg=max(0.0, float(loads[0, weakest])),
        full_load_kg=max(0.0, float(loads[1].min())),
        joint=robot.joint_names[joint],
        limit_Nm=float(robot.torque_limits_full_Nm[joint]),
    )
