"""Exceptions of the scenarios; each is one sentence fit for a user."""

from __future__ import annotations

from wbmpc.errors import WbmpcError


class ScenarioError(WbmpcError):
    """A run that can not be started as asked."""


class RealTimeError(WbmpcError):
    """A real-time run whose other process died or does not answer."""
