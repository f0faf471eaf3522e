"""Experiments of many runs."""
