"""A run in progress: plant side, control side, and who calls whom when."""
