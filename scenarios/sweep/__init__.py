"""Sweeps: many runs of one scenario, planned, made anywhere, kept, shown as a table."""
