"""From raw samples to aligned ones, and to what they measure."""
