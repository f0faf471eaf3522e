"""The simpler payload estimators of the field."""
