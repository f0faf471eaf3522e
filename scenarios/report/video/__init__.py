"""Runs as moving pictures, drawn without a graphics card, a browser or a screen."""
