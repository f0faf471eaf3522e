"""The operator's side: headset, page, engagement, arms, reference streams."""

from teleop.reference_track import STREAM_RATE_HZ, ReferenceTrack

__all__ = ["STREAM_RATE_HZ", "ReferenceTrack"]
