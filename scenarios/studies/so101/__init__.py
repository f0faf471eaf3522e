"""The SO-101 arm: one loop on torque motors and on servos."""
