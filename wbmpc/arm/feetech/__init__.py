"""Feetech STS3215 servos on a serial bus, and a simulated bus to test against."""
