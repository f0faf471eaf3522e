"""The arm, built once."""

from __future__ import annotations

import pytest

from wbmpc.arm.description import Arm


@pytest.fixture(scope="session")
def arm() -> Arm:
    return Arm.load()
