"""Ready layouts of other viewers for the log of a run."""
