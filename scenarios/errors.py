"""Exceptions of the scenarios; each is one sentence fit for a user."""

from __future__ import annotations

from models.errors import ModelsError


class ScenarioError(ModelsError):
    """A run that can not be started as asked."""


class ProcessLostError(ModelsError):
    """A run whose process died."""


class RealTimeError(ModelsError):
    """A real-time run whose other process died or does not answer."""
