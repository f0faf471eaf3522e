"""Learners of the torque that a rigid-body model does not explain."""
