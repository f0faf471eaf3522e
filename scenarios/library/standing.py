"""Stand still at home."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios.library.scenario import Scenario

if TYPE_CHECKING:
    from teleop.reference_track import ReferenceTrack
    from wbmpc.robot import Robot


def stand(robot: Robot, duration_s: float) -> ReferenceTrack:
    """One sample, which is held however long the run is."""
    from teleop.reference_track import ReferenceTrack
    from wbmpc.reference import home_reference

    del duration_s
    standing = home_reference(robot)
    return ReferenceTrack(
        standing=standing,
        q_upper=standing.q_upper[None],
        v_upper=standing.v_upper[None],
    )


SCENARIO = Scenario(name="standing", summary="stand still at home", motion=stand)
