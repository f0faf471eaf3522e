"""The published filter: one update a sample, in deviations from a nominal body."""
