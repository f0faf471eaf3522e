"""Exceptions of the scenarios; each is one sentence fit for a user."""

from __future__ import annotations

from models.errors import ModelsError


class ScenarioError(ModelsError):
    """A run that cannot be started as asked."""
