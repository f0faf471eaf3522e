"""What the robot is asked to do: reference tracks by scenario."""
