"""The SO-101: a small arm with five joints and a gripper, on six bus servos."""

from models.so101.settings import So101Settings, load_so101

__all__ = ["So101Settings", "load_so101"]
