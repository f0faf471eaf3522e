"""Whether an installation can work."""
