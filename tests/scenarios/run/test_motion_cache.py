"""Motions are made once, and nothing that could differ is shared."""

from __future__ import annotations

import numpy as np
import pytest

from scenarios.library.catalogue import find_scenario
from scenarios.run.motion_cache import MOST, references_of
from teleop.reference_track import ReferenceTrack
from wbmpc.reference import ReferenceSource
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


class Counting:
    """A motion that knows how often it was made."""

    def __init__(self, kind: type = ReferenceTrack) -> None:
        self.made, self._kind = 0, kind

    def __call__(self, robot: Robot, duration_s: float) -> ReferenceSource:
        self.made += 1
        track = find_scenario("standing").motion(robot, duration_s)
        fields = {name: getattr(track, name) for name in track.__dataclass_fields__}
        return self._kind(**fields)


class Stateful(ReferenceTrack):
    """A source that may have a state."""


def test_the_same_motion_is_made_once(robot: Robot) -> None:
    motion = Counting()
    first = references_of(motion, robot, 1.0)
    assert references_of(motion, Robot.load("alexander"), 1.0) is first
    assert motion.made == 1


def test_another_robot_setting_or_time_has_its_own(robot: Robot) -> None:
    motion = Counting()
    changed = Robot.load("alexander", ("mpc.iterations=2",))
    for which, duration_s in ((robot, 1.0), (changed, 1.0), (robot, 1.5)):
        references_of(motion, which, duration_s)
    assert motion.made == 3


def test_only_a_few_are_remembered(robot: Robot) -> None:
    motion = Counting()
    for extra in range(MOST + 1):
        references_of(motion, robot, 1.0 + extra)
    references_of(motion, robot, 1.0)
    assert motion.made == MOST + 2


def test_a_source_of_another_kind_is_made_each_time(robot: Robot) -> None:
    motion = Counting(Stateful)
    assert references_of(motion, robot, 1.0) is not references_of(motion, robot, 1.0)


def test_nobody_can_write_into_a_shared_track(robot: Robot) -> None:
    track = references_of(find_scenario("window_washing").motion, robot, 1.0)
    with pytest.raises(ValueError, match="read-only"):
        track.at(0.1).q_upper[0] = np.nan
