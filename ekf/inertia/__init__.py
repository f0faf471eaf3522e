"""Inertial parameters: physically consistent coordinates and what maps between them."""
