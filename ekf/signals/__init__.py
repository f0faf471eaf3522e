"""From raw samples to aligned ones and to contact wrenches."""
