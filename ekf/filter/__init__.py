"""The published filter: one update per sample, in deviations from a nominal body."""
