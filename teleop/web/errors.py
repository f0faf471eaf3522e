"""Exceptions of the page's server; each is one sentence fit for a user."""

from __future__ import annotations

from teleop.errors import TeleopError


class WebError(TeleopError):
    """The page cannot be served as asked."""
