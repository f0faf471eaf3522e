"""Payload estimators behind one interface, calibration, and identification."""
