"""Typed settings of teleoperation; units in the names, ranges in the types."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from models.toml_file import read_struct

LARGEST = 1e6
"""Larger than anything here, and finite."""
Positive = Annotated[float, msgspec.Meta(gt=0, le=LARGEST)]
NonNegative = Annotated[float, msgspec.Meta(ge=0, le=LARGEST)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Patience = Annotated[float, msgspec.Meta(gt=0, le=1.0)]
"""How long a robot may go on without fresh poses [s]; longer is blind."""
Proof = Annotated[float, msgspec.Meta(gt=0, le=10.0)]
"""How long good data are asked for [s]; longer is a page that never lets anybody in."""


class _Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all settings: immutable, unknown keys refused."""


class EngagementSettings(_Settings, frozen=True, kw_only=True):
    """When a hand may move the robot, and when no more.

    All times have an upper bound that keeps the promise they are made for: a robot that
    waits a million seconds for frames is not held still at all.
    """

    proof_s: Proof = 0.5
    """Good data before a press counts."""
    hold_after_s: Patience = 0.2
    """A pose older than this is not acted on."""
    disengage_after_s: Patience = 0.5
    """Trouble that lasts longer ends the engagement; a fresh press is needed."""
    recover_s: Proof = 0.2
    """Good data after which an earlier trouble is forgotten."""
    frames_to_return: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 3
    """Good frames in a row before a held hand moves again."""
    max_jump_m: Annotated[float, msgspec.Meta(gt=0, le=0.5)] = 0.10
    """Between two frames; more is a jump."""
    max_turn_rad: Annotated[float, msgspec.Meta(gt=0, le=3.15)] = 0.5236
    """Between two frames (30 degrees); more is a jump."""
    frozen_s: Patience = 0.5
    """An XR pose that stays the same to the last bit is not tracked any more."""
    press: Share = 0.8
    """Squeeze that counts as a press."""
    release: Share = 0.4
    """Squeeze that counts as a release."""

    def __post_init__(self) -> None:
        """Check the order."""
        if self.disengage_after_s < self.hold_after_s:
            raise ValueError(
                f"disengage_after_s {self.disengage_after_s:g}: must be no less than "
                f"hold_after_s {self.hold_after_s:g}"
            )
        if self.release >= self.press:
            raise ValueError(
                f"release {self.release:g}: must be less than press {self.press:g}"
            )


class StickSettings(_Settings, frozen=True, kw_only=True):
    """One thumbstick axis that moves one quantity of Table II."""

    rate_per_s: Annotated[float, msgspec.Meta(gt=0, le=2.0)]
    """Speed at full deflection [rad/s or m/s]."""
    lowest: Annotated[float, msgspec.Meta(ge=-3.15, le=0)]
    highest: Annotated[float, msgspec.Meta(ge=0, le=3.15)]
    """Range, as difference from home, which is in it [rad or m]."""


class MappingSettings(_Settings, frozen=True, kw_only=True):
    """Thumbsticks (arXiv:2610.22176, Table II)."""

    dead_zone: Share = 0.15
    ramp_s: Proof = 0.3
    """From rest to full speed; back to rest is at once."""
    spine_yaw: StickSettings = StickSettings(rate_per_s=0.4, lowest=-0.45, highest=0.45)
    """Right stick, horizontal; right turns right."""
    pelvis_pitch: StickSettings = StickSettings(
        rate_per_s=0.25, lowest=-0.15, highest=0.6
    )
    """Right stick, vertical; forward pitches forward."""
    com_height: StickSettings = StickSettings(
        rate_per_s=0.08, lowest=-0.20, highest=0.02
    )
    """Left stick, vertical; forward is up."""


class HandSettings(_Settings, frozen=True, kw_only=True):
    """How a hand's motion becomes the motion of a forearm tip."""

    scale: Annotated[float, msgspec.Meta(gt=0, le=5.0)] = 1.0
    """Robot metres for one metre of the operator."""
    leash_m: Annotated[float, msgspec.Meta(gt=0, le=1.0)] = 0.05
    """A target this far beyond what the arm reaches slides along, so that the way back
    starts at once."""
    delay_s: Annotated[float, msgspec.Meta(ge=0, le=0.2)] = 0.015
    """Poses are read this long ago, between two frames, instead of the newest one:
    headset and IK tick at different rates, and the beat would be a jitter."""


class CollisionSettings(_Settings, frozen=True, kw_only=True):
    """Capsules that keep the arms from each other and from the trunk."""

    enabled: bool = True
    margin_m: NonNegative = 0.02
    """Distance kept between surfaces."""
    range_m: Positive = 0.15
    """Pairs further apart are not looked at."""
    forearm_radius_m: Positive = 0.05
    upper_arm_radius_m: Positive = 0.06
    trunk_radius_m: Positive = 0.13
    trunk_above_m: Positive = 0.30
    """Top of the trunk's axis above the spine joint."""


class IkSettings(_Settings, frozen=True, kw_only=True):
    """Differential inverse kinematics of the arms."""

    rate_hz: Annotated[float, msgspec.Meta(ge=5, le=1000)] = 50.0
    gain: Share = 0.6
    """Share of the error closed in one tick."""
    orientation_weight_m: NonNegative = 0.02
    """Metres of position that count like one radian; four joints cannot do both."""
    posture_weight: NonNegative = 0.003
    """Pull of the home angles, per radian."""
    damping: NonNegative = 1e-3
    """Pull towards rest, per radian; grows with the error, so that a stretched arm
    stays calm."""
    max_speed_rad_per_s: Annotated[float, msgspec.Meta(gt=0, le=10.0)] = 4.0
    """Of every arm joint, where the robot's own limit is not lower."""
    limit_margin_rad: NonNegative = 0.02
    """Kept from the joints' position limits."""
    min_elbow_bend_rad: NonNegative = 0.15
    """Kept from the straight arm, so that the elbow stays on its side."""
    collision: CollisionSettings = CollisionSettings()


class TeleopSettings(_Settings, frozen=True, kw_only=True):
    """Everything that can be set about teleoperation."""

    engagement: EngagementSettings = EngagementSettings()
    mapping: MappingSettings = MappingSettings()
    hand: HandSettings = HandSettings()
    ik: IkSettings = IkSettings()
    haptic_below_m: Positive = 0.03
    """Balance margin below which the controllers begin to pulse."""


def load_teleop_settings(path: Path | None) -> TeleopSettings:
    """Read a TOML file; what it leaves out keeps its default. None: all defaults.

    Raises:
        SettingsError: No such file, no TOML, an unknown key, or a value out of range.
    """
    if path is None:
        return TeleopSettings()
    return read_struct(path, TeleopSettings)
