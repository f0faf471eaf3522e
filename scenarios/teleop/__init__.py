"""Teleoperation of the simulated robot: processes, scripted operator, results."""
