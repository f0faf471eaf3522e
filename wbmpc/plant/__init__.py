"""Plants: what takes joint torques and returns readings."""
