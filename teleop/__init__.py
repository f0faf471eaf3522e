"""What an operator commands: reference streams, for now recorded ones."""

from teleop.reference_track import STREAM_RATE_HZ, ReferenceTrack

__all__ = ["STREAM_RATE_HZ", "ReferenceTrack"]
