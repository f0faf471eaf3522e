"""Exceptions of teleoperation; each is one sentence fit for a user."""

from __future__ import annotations

from models.errors import ModelsError


class TeleopError(ModelsError):
    """Base of everything this package raises on purpose."""


class RecordingError(TeleopError):
    """A recorded reference stream that cannot be used."""


class TransportError(TeleopError):
    """References cannot be sent or received as asked."""
