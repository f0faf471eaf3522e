"""Coordinates and devices that change while somebody drives: nothing moves."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from teleop_bench import TICK_S, Bench

from teleop.continuity import RECENTRED, SWAPPED, Continuity

TWICE = (1, 2)
SIDES = ("left", "right")


def recentring(x_m: float, y_m: float, yaw_rad: float) -> pin.SE3:
    """What it does to all coordinates."""
    return pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, yaw_rad), np.array([x_m, y_m, 0.0]))


SMALL = recentring(0.06, -0.04, 0.0)
"""Less than a jump of a hand."""
MOTIONS = {
    "moved": SMALL,
    "turned": recentring(0.0, 0.0, 0.15),
    "far": recentring(0.7, 0.4, 2.5),
}


def span(bench: Bench, since: int) -> float:
    """Largest way of any joint reference from that of a tick on [rad]."""
    q = np.array([reference.q_upper for reference in bench.references[since:]])
    return float(np.abs(q - q[0]).max())


def assert_goes_on_after_a_press(bench: Bench, *sides: str) -> None:
    """Let go, squeeze, and the hands follow again."""
    bench.squeeze(0.0)
    bench.engage(*sides)
    assert all(bench.states[side] == "engaged" for side in sides)


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("sides", [("left", "right"), ("left",), ("right",)])
@pytest.mark.parametrize("motion", MOTIONS)
def test_a_view_that_is_re_centred_moves_nothing(
    bench: Bench, motion: str, sides: tuple[str, ...], told: bool
) -> None:
    """By the number of the space, or by a jump that nobody could make."""
    for _ in TWICE:
        bench.engage(*sides)
        bench.run(0.3)
        start = len(bench.references)
        bench.headset.space += told
        bench.headset.move_all(MOTIONS[motion])
        bench.run(1.0)
        assert span(bench, start) < 2e-3  # trembling hands until the jump
        assert span(bench, start + 3) == 0.0
        assert not {"engaged", "held"} & set(bench.states.values())
        reason = bench.operator.hands[sides[0]].engagement.reason
        assert reason == f"{RECENTRED}, let go and squeeze again"
        assert_goes_on_after_a_press(bench, *sides)
        bench.squeeze(0.0)


def test_one_that_was_re_centred_at_rest_drives_from_there(bench: Bench) -> None:
    bench.ready()
    bench.headset.space += 1
    bench.headset.move_all(MOTIONS["far"])
    start = len(bench.references)
    bench.run(0.1)
    assert bench.states == {"left": "idle", "right": "idle"}
    bench.ready()
    assert span(bench, start) == 0.0
    bench.squeeze(1.0)
    bench.run(0.3)
    assert bench.states == {"left": "engaged", "right": "engaged"}
    assert span(bench, start) < 0.021  # to the measured hands, which sag
    tip = bench.tip("left").translation
    ahead = MOTIONS["far"].rotation @ [0.1, 0.0, 0.0]
    home = bench.headset.hands["left"].position_m.copy()

    def push(time_s: float) -> None:
        bench.headset.hands["left"].position_m = home + min(time_s, 1.0) * ahead

    bench.run(1.3, push)
    moved = bench.tip("left").translation - tip
    np.testing.assert_allclose(moved, [0.1, 0.0, 0.0], atol=4e-3)


def test_one_that_was_re_centred_behind_the_menu_does_not_go_on(bench: Bench) -> None:
    """The menu is shown for less than what ends an engagement."""
    for _ in TWICE:
        bench.engage()
        bench.headset.visibility = "visible-blurred"
        bench.run(0.1)
        start = len(bench.references)
        bench.headset.space += 1
        bench.headset.move_all(SMALL)
        bench.run(0.1)
        bench.headset.visibility = "visible"
        bench.run(0.5)
        assert span(bench, start) == 0.0
        assert bench.states == {"left": "idle", "right": "idle"}
        bench.squeeze(0.0)


def test_one_that_was_re_centred_while_a_hand_was_away(bench: Bench) -> None:
    """The hand that returns is in other coordinates as well."""
    for _ in TWICE:
        bench.engage()
        bench.headset.hands["left"].present = False
        bench.run(0.1)
        bench.headset.space += 1
        bench.headset.move_all(SMALL)
        bench.run(0.1)
        start = len(bench.references)
        bench.headset.hands["left"].present = True
        bench.run(0.5)
        assert span(bench, start) == 0.0
        assert bench.states == {"left": "idle", "right": "idle"}
        bench.squeeze(0.0)


def test_the_frame_that_told_it_may_get_lost(bench: Bench) -> None:
    bench.engage()
    lost = iter(range(3))
    bench.headset.space += 1
    bench.headset.move_all(SMALL)
    bench.filtered = lambda frame: [] if next(lost, None) is not None else [frame]
    start = len(bench.references)
    bench.run(0.5)
    assert span(bench, start + 3) == 0.0
    assert bench.states == {"left": "idle", "right": "idle"}


def test_the_heading_of_the_old_view_is_not_that_of_the_new_one(bench: Bench) -> None:
    """A head that is not seen at the press does not steer by its old coordinates."""
    bench.headset.head = pin.SE3(
        pin.rpy.rpyToMatrix(0.0, 0.0, 2.0), bench.headset.head.translation
    )
    bench.ready()
    assert bench.operator._last_head is not None
    bench.headset.space += 1
    bench.filtered = lambda frame: [type(frame)(**_without_head(frame))]
    bench.run(0.1)
    assert bench.operator._last_head is None


def _without_head(frame: object) -> dict[str, object]:
    names = frame.__struct_fields__  # type: ignore[attr-defined]
    return {name: getattr(frame, name) for name in names} | {"head": None}


@pytest.mark.parametrize("away_s", [0.0, 0.1, 1.0])
def test_another_device_for_a_hand_does_not_take_its_clutch(
    bench: Bench, away_s: float
) -> None:
    """It is held already, a little aside: a controller for a bare hand that pinches."""
    for _ in TWICE:
        bench.engage()
        left = bench.headset.hands["left"]
        left.present = away_s == 0.0
        if away_s:
            bench.run(away_s)
        start = len(bench.references)
        left.present, left.source = True, left.source + 1
        left.position_m = left.position_m + [0.05, 0.0, -0.03]
        bench.run(1.0)
        q = np.array([r.q_upper for r in bench.references[start + 3 :]])
        assert np.ptp(q[:, 1:5], axis=0).max() == 0.0
        assert bench.states == {"left": "idle", "right": "engaged"}
        bench.squeeze(0.0, "left")
        bench.run(0.1)
        bench.squeeze(1.0, "left")
        bench.run(0.1)
        assert bench.states == {"left": "engaged", "right": "engaged"}
        bench.squeeze(0.0)


def test_a_device_that_comes_held_does_not_engage(bench: Bench) -> None:
    """Its press was not seen: the hand before it was ready and open."""
    bench.ready()
    left = bench.headset.hands["left"]
    left.source, left.squeeze = 2, 1.0
    bench.run(1.0)
    assert bench.states["left"] == "idle"


def test_hands_that_are_exchanged_let_go(bench: Bench) -> None:
    """So close together that neither place is a jump for the other."""
    left, right = bench.headset.hands["left"], bench.headset.hands["right"]
    left.position_m = np.array([0.4, 0.04, 1.2])
    right.position_m = np.array([0.4, -0.04, 1.2])
    for _ in TWICE:
        bench.engage()
        bench.run(0.3)
        start = len(bench.references)
        left.position_m, right.position_m = right.position_m, left.position_m
        bench.run(1.0)
        assert span(bench, start) < 2e-3
        assert bench.states == {"left": "idle", "right": "idle"}
        assert SWAPPED in str(bench.operator.hands["left"].engagement.reason)
        bench.squeeze(0.0)


def test_hands_that_pass_each_other_go_on(bench: Bench) -> None:
    left, right = bench.headset.hands["left"], bench.headset.hands["right"]
    left.position_m = np.array([0.4, 0.15, 1.2])
    right.position_m = np.array([0.35, -0.15, 1.2])
    bench.engage()

    def cross(time_s: float) -> None:
        y = 0.15 * np.cos(2.0 * np.pi * time_s)
        left.position_m = np.array([0.4, y, 1.2])
        right.position_m = np.array([0.35, -y, 1.2])

    bench.run(2.0, cross)
    assert bench.states == {"left": "engaged", "right": "engaged"}
    assert bench.operator.counts["discontinuities"] == 0


def test_an_operator_who_walks_and_turns_goes_on(bench: Bench) -> None:
    """Rigidly, at 1 m/s and 2 rad/s, and with every other frame lost."""
    bench.filtered = lambda frame: [frame] if frame.seq % 2 else []
    bench.engage()
    at_s = 0.0

    def walk(time_s: float) -> None:
        nonlocal at_s
        step_s, at_s = time_s - at_s, time_s
        bench.headset.move_all(recentring(step_s, 0.0, 2.0 * step_s))

    bench.run(1.0, walk)
    assert bench.operator.counts["discontinuities"] == 0
    assert bench.states["left"] == "engaged"


def test_clocks_that_stand_or_go_back_do_not_hide_a_jump() -> None:
    for time_s in (0.0, -100.0):
        continuity = Continuity()
        head = pin.SE3(np.eye(3), np.array([0.0, 0.0, 1.6]))
        hand = pin.SE3(np.eye(3), np.array([0.4, 0.2, 1.2]))
        poses = {"head": head, "left": hand, "right": None}
        assert continuity.broken(1, 0.0, poses) is None
        moved = {side: pose and SMALL * pose for side, pose in poses.items()}
        assert continuity.broken(1, time_s, moved) == RECENTRED


def test_a_tick_between_two_frames_does_not_mix_two_spaces(bench: Bench) -> None:
    """Poses are read a little late, between two frames."""
    bench.engage("left")
    bench.headset.space += 1
    bench.headset.move_all(SMALL)
    bench.run(2.0 * TICK_S)
    assert bench.operator.hands["left"].track.newest_s is None
