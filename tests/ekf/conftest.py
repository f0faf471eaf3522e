"""Fixtures of the estimator tests."""

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import LEG, Motion, build_arm, build_biped, home


@pytest.fixture
def rng() -> np.random.Generator:
    """Seeded generator."""
    return np.random.default_rng(20)


@pytest.fixture
def biped() -> pin.Model:
    """The inline biped."""
    return build_biped()


@pytest.fixture
def five_joint_biped() -> pin.Model:
    """The biped without ankle roll: legs of five joints."""
    return build_biped(LEG[:-1])


@pytest.fixture
def arm() -> pin.Model:
    """The inline arm."""
    return build_arm()


@pytest.fixture
def biped_motion(biped) -> Callable:
    """Washing-like motion of the whole biped."""
    return Motion(biped, home(biped), 0.25, seed=3)


@pytest.fixture
def arm_motion(arm) -> Callable:
    """Motion that excites every parameter of the arm's last link."""
    return Motion(arm, np.array([0.3, 0.4, -0.5, 0.6, 0.4, 0.2]), 0.7, seed=5)
