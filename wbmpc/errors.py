"""Exceptions of the control side; each is one sentence fit for a user."""

from __future__ import annotations

from models.errors import (
    ModelsError,
    SettingError,
    SettingsError,
    UnknownNameError,
)

__all__ = [
    "DimensionError",
    "InstallError",
    "ModelMismatchError",
    "PayloadError",
    "ProcessLostError",
    "PushError",
    "RealTimeError",
    "RobotError",
    "SettingError",
    "SettingsError",
    "UnknownNameError",
    "WbmpcError",
]


class WbmpcError(ModelsError):
    """Base of everything this package raises on purpose."""


class InstallError(WbmpcError):
    """The installed packages cannot work together."""

    exit_code = 1


class RobotError(WbmpcError):
    """A robot file is unusable."""


class DimensionError(WbmpcError):
    """A vector that has not the length of this robot's."""


class PayloadError(WbmpcError):
    """A payload that cannot be attached."""


class PushError(WbmpcError):
    """A push that is not possible."""


class ModelMismatchError(WbmpcError):
    """Plant and controller disagree about the robot."""

    exit_code = 1


class ProcessLostError(WbmpcError):
    """A run whose process died."""

    exit_code = 1


class RealTimeError(WbmpcError):
    """A real-time run whose other process died or does not answer."""

    exit_code = 1
