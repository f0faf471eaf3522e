"""Whole logs of real arms: friction, drives, what a model misses, and a payload."""
