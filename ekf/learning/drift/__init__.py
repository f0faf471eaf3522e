"""Detectors of a change in a stream of prediction errors."""
