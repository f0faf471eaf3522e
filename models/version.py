"""The version of this program."""

from __future__ import annotations

from importlib import metadata

UNKNOWN = "unknown"
"""Of sources on the path that were never installed."""


def installed_version() -> str:
    """Version of the installed distribution."""
    try:
        return metadata.version("wbmpc")
    except metadata.PackageNotFoundError:
        return UNKNOWN
