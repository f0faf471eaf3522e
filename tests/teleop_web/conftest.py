from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browsing import launched

from wbmpc.robot import Robot


@pytest.fixture(scope="session")
def robot() -> Robot:
    return Robot.load("alexander")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser per file: it must not outlive files that run event loops."""
    with launched() as found:
        yield found
