"""When hands drive: field cases of people who teleoperate, each with its answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest
import teleop_bench
from teleop_bench import TICK_S, Bench
from teleop_devices import RATE_HZ, pose_message

from teleop.conventions import PoseFault, angle_between_rad
from teleop.messages import Pose, PoseFrame

TWICE = (1, 2)
"""Many faults sit in the second engagement."""


def drift(bench: Bench, since: int) -> float:
    """Largest difference of any joint reference from that of a tick [rad]."""
    q = np.array([reference.q_upper for reference in bench.references[since:]])
    return float(np.abs(q - q[0]).max())


def assert_still(bench: Bench, duration_s: float) -> None:
    """Nothing moves, in no channel."""
    start = len(bench.references)
    before = bench.stream.com_height_m, bench.stream.pelvis_pitch_rad
    bench.run(duration_s)
    assert drift(bench, start) == 0.0
    assert (bench.stream.com_height_m, bench.stream.pelvis_pitch_rad) == before
    assert not bench.reference.v_upper.any()


def swing(bench: Bench, side: str, amplitude_m: float = 0.05) -> Callable:
    """A hand that moves up and down at up to 0.3 m/s."""
    hand = bench.headset.hands[side]
    start = hand.position_m.copy()

    def move(time_s: float) -> None:
        lift = amplitude_m * np.sin(2.0 * np.pi * time_s)
        hand.position_m = start + [0.0, 0.0, lift]

    return move


def slide(bench: Bench, side: str, to_m: list[float], over_s: float) -> Callable:
    """A hand that moves evenly by a vector."""
    hand = bench.headset.hands[side]
    start = hand.position_m.copy()

    def move(time_s: float) -> None:
        share = min((time_s + 1.0 / RATE_HZ) / over_s, 1.0)
        hand.position_m = start + share * np.array(to_m)

    return move


def test_engages_after_half_a_second_of_good_data_and_a_press(bench: Bench) -> None:
    bench.run(0.3)
    assert bench.states == {"left": "idle", "right": "idle"}
    bench.run(0.4)
    assert bench.states == {"left": "ready", "right": "ready"}
    bench.squeeze(1.0, "left")
    bench.run(0.1)
    assert bench.states == {"left": "engaged", "right": "ready"}


def test_a_press_that_comes_too_early_does_not_count_later(bench: Bench) -> None:
    bench.run(0.2)
    bench.squeeze(1.0)
    bench.run(2.0)
    assert bench.states == {"left": "idle", "right": "idle"}
    assert bench.operator.hands["left"].engagement.reason == "let go and squeeze again"
    bench.squeeze(0.0)
    bench.run(0.1)
    bench.squeeze(1.0)
    bench.run(0.1)
    assert bench.states == {"left": "engaged", "right": "engaged"}


def test_without_a_robot_nobody_engages(bench: Bench) -> None:
    bench.ready()
    bench.robot_answers = False
    bench.run(1.0)
    bench.squeeze(1.0)
    bench.run(0.2)
    assert "engaged" not in bench.states.values()
    assert bench.operator.blocked() == "no state from the robot"


def test_a_robot_that_is_silent_is_not_driven_and_nothing_jumps_when_it_returns(
    bench: Bench,
) -> None:
    for _ in TWICE:
        bench.engage()
        bench.run(0.5, swing(bench, "left"))
        bench.robot_answers = False
        bench.run(0.4, swing(bench, "left"))
        assert bench.states["left"] == "engaged"
        bench.run(0.4, swing(bench, "left"))
        assert bench.states == {"left": "idle", "right": "idle"}
        rest = bench.reference.q_upper
        # Whoever steers it meanwhile: references go on from where the robot is.
        bench.stream._goal = bench.stream._goal + 0.1
        bench.run(0.5)
        moved = bench.reference.q_upper
        assert np.abs(moved - rest).max() == pytest.approx(0.1)
        bench.robot_answers = True
        start = len(bench.references)
        bench.run(1.0, swing(bench, "left"))
        assert drift(bench, start) < 1e-12
        bench.squeeze(0.0)


def test_a_robot_that_has_fallen_is_not_driven(bench: Bench) -> None:
    bench.engage()
    bench.problem = "the robot fell"
    bench.run(0.1, swing(bench, "left"))
    assert bench.states == {"left": "idle", "right": "idle"}
    assert bench.operator.blocked() == "the robot fell"


@pytest.mark.parametrize("elsewhere_m", [[0.0, 0.0, 0.0], [0.3, -0.6, -0.1]])
def test_the_first_target_is_the_commanded_hand(
    bench: Bench, elsewhere_m: list[float]
) -> None:
    """Wherever the operator's hands are, crossed for instance, nothing jumps."""
    for side, sign in (("left", 1.0), ("right", -1.0)):
        x, y, z = elsewhere_m
        bench.headset.hands[side].position_m += [x, sign * y, z]
    for hand in bench.headset.hands.values():
        hand.trembles = False
    bench.operator.connect("desktop")
    bench.ready()
    commanded = {side: bench.tip(side) for side in ("left", "right")}
    bench.squeeze(1.0)
    bench.run(TICK_S)
    hands = bench.wire.waiting or [bench.stream.newest]
    for side, placement in commanded.items():
        target = pin.XYZQUATToSE3(np.array(getattr(hands[-1], f"{side}_hand")))
        assert np.linalg.norm(target.translation - placement.translation) < 1e-9
        assert angle_between_rad(target.rotation, placement.rotation) < 1e-6
    start = bench.tip("left").translation
    bench.run(1.0)
    assert np.linalg.norm(bench.tip("left").translation - start) < 1e-3


@pytest.mark.parametrize("sag_rad", [0.02, 0.3])
def test_pressing_again_and_again_moves_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, sag_rad: float
) -> None:
    """Also while a load keeps the hands far below where they are commanded to be."""
    monkeypatch.setattr(teleop_bench, "SAG_RAD", sag_rad)
    for hand in bench.headset.hands.values():
        hand.trembles = False
    bench.operator.connect("desktop")
    bench.ready()
    start = {side: bench.tip(side).translation for side in ("left", "right")}
    for _ in range(6):
        bench.squeeze(1.0)
        bench.run(1.0)
        assert set(bench.states.values()) == {"engaged"}
        bench.squeeze(0.0)
        bench.run(0.5)
    for side, before in start.items():
        walked_m = np.linalg.norm(bench.tip(side).translation - before)
        print(f"{side}: {1e3 * walked_m:.2f} mm")
        assert walked_m < 2e-3


@pytest.mark.parametrize(
    ("moved_m", "expected_m"),
    [
        ([0.1, 0.0, 0.0], [0.1, 0.0, 0.0]),
        ([0.0, 0.0, 0.1], [0.0, 0.0, 0.1]),
        ([0.0, -0.1, 0.0], [0.0, -0.1, 0.0]),
    ],
)
@pytest.mark.parametrize("turned_rad", [0.0, 2.0])
def test_the_robot_s_hand_moves_as_the_operator_s(
    bench: Bench, moved_m: list[float], expected_m: list[float], turned_rad: float
) -> None:
    """Forward is where the head faced at the press, whatever it does then."""
    turn = pin.rpy.rpyToMatrix(0.0, 0.0, turned_rad)
    nod = pin.rpy.rpyToMatrix(0.0, 0.6, 0.0)
    bench.headset.head = pin.SE3(turn @ nod, bench.headset.head.translation)
    bench.engage()
    bench.run(0.5)
    start = bench.tip("left").translation
    bench.headset.head = pin.SE3(np.eye(3), bench.headset.head.translation)
    bench.run(1.0, slide(bench, "left", list(turn @ moved_m), 0.8))
    bench.run(0.3)
    moved = bench.tip("left").translation - start
    np.testing.assert_allclose(moved, expected_m, atol=3e-3)


def test_disengaged_nothing_moves_for_a_minute(bench: Bench) -> None:
    bench.engage()
    bench.run(1.0, swing(bench, "left"))
    bench.squeeze(0.0)
    bench.headset.hands["right"].stick = (1.0, 1.0)
    bench.headset.hands["left"].stick = (0.0, -1.0)
    bench.run(0.3)
    start = len(bench.references)
    bench.run(60.0, swing(bench, "left"))
    assert drift(bench, start) == 0.0


def test_sticks_move_only_with_their_hand_engaged_and_once_seen_at_rest(
    bench: Bench,
) -> None:
    bench.headset.hands["right"].stick = (1.0, 0.0)
    bench.engage("right")
    start = bench.reference.q_upper[0]
    bench.run(0.5)
    assert bench.reference.q_upper[0] == start
    bench.headset.hands["right"].stick = (0.0, 0.0)
    bench.run(0.1)
    bench.headset.hands["right"].stick = (1.0, 0.0)
    bench.headset.hands["left"].stick = (0.0, -1.0)
    bench.run(0.5)
    assert bench.reference.q_upper[0] < start - 0.05  # to the right
    assert bench.stream.com_height_m == bench.stream.at(bench.now_s).com_m[2]
    assert bench.operator.hands["left"].engagement.state.value == "ready"


def test_both_sticks_pressed_stop_everything_until_a_fresh_press(bench: Bench) -> None:
    for _ in TWICE:
        bench.engage()
        bench.run(0.5, swing(bench, "left"))
        for hand in bench.headset.hands.values():
            hand.stick_pressed = True
        bench.run(0.1)
        assert bench.operator.stopped
        bench.run(0.1)
        start = len(bench.references)
        bench.run(1.0, swing(bench, "left"))
        for hand in bench.headset.hands.values():
            hand.stick_pressed = False
        bench.run(1.0, swing(bench, "left"))
        assert drift(bench, start) == 0.0
        assert "engaged" not in bench.states.values()
        bench.squeeze(0.0)
        bench.ready()
        assert bench.operator.stopped
    bench.engage()
    assert bench.states == {"left": "engaged", "right": "engaged"}
    assert not bench.operator.stopped


def test_a_hand_that_leaves_the_view(bench: Bench) -> None:
    """Noise, then frozen, then good again; the other arm goes on."""
    bench.engage()
    bench.run(2.0, swing(bench, "right"))
    left, rng = bench.headset.hands["left"], np.random.default_rng(5)
    home = left.position_m.copy()

    def noise(time_s: float) -> None:
        left.position_m = home + 0.05 * rng.standard_normal(3)
        swing_right(time_s)

    swing_right = swing(bench, "right")
    bench.run(0.2, noise)
    arm = bench.reference.q_upper[1:5].copy()
    bench.run(0.8, noise)
    assert bench.states["left"] != "engaged"
    left.trembles = False
    bench.run(3.0, swing(bench, "right"))
    assert bench.states["left"] == "idle"
    assert np.abs(bench.reference.q_upper[1:5] - arm).max() < 0.3
    left.trembles, left.position_m = True, home
    rest = bench.reference.q_upper[1:5].copy()
    bench.run(2.0, swing(bench, "right"))
    assert bench.states == {"left": "idle", "right": "engaged"}
    np.testing.assert_array_equal(bench.reference.q_upper[1:5], rest)
    right = np.array([r.q_upper[5:] for r in bench.references[-50:]])
    assert np.ptp(right, axis=0).max() > 0.05
    bench.squeeze(0.0, "left")
    bench.run(0.2)
    bench.squeeze(1.0, "left")
    bench.run(0.1)
    assert bench.states["left"] == "engaged"


IDENTITY = Pose(p=(0.0, 0.0, 0.0), q=(0.0, 0.0, 0.0, 1.0))


@pytest.mark.parametrize(
    ("case", "why"),
    [
        ("origin", PoseFault.PLACEHOLDER),
        ("equal", PoseFault.BOTH_EQUAL),
        ("head", PoseFault.AT_HEAD),
        ("frozen", PoseFault.FROZEN),
        ("nan", PoseFault.NOT_FINITE),
        ("bent", PoseFault.NOT_RIGID),
    ],
)
def test_placeholders_do_not_engage_and_say_why(
    bench: Bench, case: str, why: PoseFault
) -> None:
    left = bench.headset.hands["left"]
    if case == "origin":
        left.pose = IDENTITY
    elif case == "equal":
        for hand in bench.headset.hands.values():
            hand.pose = Pose(p=(0.1, 1.0, -0.3), q=(0.0, 0.0, 0.0, 1.0))
    elif case == "head":
        left.pose = pose_message(bench.headset.head)
    elif case == "frozen":
        left.trembles = False
    elif case == "nan":
        left.pose = Pose(p=(None, 1.0, 0.0), q=(0.0, 0.0, 0.0, 1.0))
    else:
        left.pose = Pose(p=(0.1, 1.0, -0.3), q=(0.0, 0.0, 0.0, 1.01))
    bench.run(2.0)
    bench.squeeze(1.0, "left")
    assert_still(bench, 1.0)
    assert bench.states["left"] == "idle"
    assert bench.operator.hands["left"].engagement.reason == why.value


def test_a_link_that_drops_ten_times(bench: Bench) -> None:
    """Disengaged by 0.5 s, and each return needs a fresh press."""
    for _ in range(10):
        bench.engage()
        assert bench.states == {"left": "engaged", "right": "engaged"}
        bench.run(0.5, swing(bench, "left"))
        bench.filtered = lambda frame: []  # noqa: ARG005
        bench.run(0.24)
        assert bench.states == {"left": "held", "right": "held"}
        start = len(bench.references)
        bench.run(0.3)
        assert bench.states == {"left": "idle", "right": "idle"}
        bench.run(1.5)
        bench.filtered = lambda frame: [frame]
        bench.operator.connect("xr")
        bench.run(1.0, swing(bench, "left"))
        assert drift(bench, start) == 0.0
        bench.squeeze(0.0)


@pytest.mark.parametrize("silent_s", [0.3, 2.0])
def test_silence_while_moving(bench: Bench, silent_s: float) -> None:
    """A short silence holds and goes on; a long one needs a fresh press."""
    for _ in TWICE:
        bench.engage()
        bench.run(1.0, swing(bench, "left"))
        bench.filtered = lambda frame: []  # noqa: ARG005
        bench.run(0.24)
        start = len(bench.references)
        bench.run(silent_s - 0.24)
        assert drift(bench, start) == 0.0
        bench.filtered = lambda frame: [frame]
        bench.run(0.2)
        expected = "engaged" if silent_s < 0.5 else "idle"
        assert bench.states["left"] == expected
        bench.squeeze(0.0)
        bench.headset.hands["left"].position_m = np.array([0.4, 0.25, 1.2])


def test_a_link_lost_for_a_minute_while_moving(bench: Bench) -> None:
    """The network fails at 0.5 m/s, comes back after a minute."""
    bench.engage()
    bench.run(0.4, slide(bench, "left", [0.2, 0.0, 0.0], 0.4))
    bench.wire.is_cut = True
    bench.filtered = lambda frame: []  # noqa: ARG005
    bench.run(0.5)
    tip = bench.tip("left")
    bench.run(60.0)
    assert np.linalg.norm(bench.tip("left").translation - tip.translation) < 1e-3
    assert angle_between_rad(bench.tip("left").rotation, tip.rotation) < 1e-3
    bench.wire.is_cut = False
    bench.filtered = lambda frame: [frame]
    bench.run(2.0, swing(bench, "left"))
    assert "engaged" not in bench.states.values()
    assert np.linalg.norm(bench.tip("left").translation - tip.translation) < 0.02


@pytest.mark.parametrize("frames", [1, 3, None])
def test_a_quarter_turn_in_one_frame(bench: Bench, frames: int | None) -> None:
    """For one frame, for three, for ever; the other arm does not notice."""
    for _ in TWICE:
        right = bench.headset.hands["right"]
        right.rotation = np.eye(3)
        bench.engage()
        bench.run(0.5)
        start = len(bench.references)
        right.rotation = pin.rpy.rpyToMatrix(0.0, 0.0, np.pi / 2)
        if frames is not None:
            bench.run_frames(frames)
            right.rotation = np.eye(3)
        bench.run(1.0, swing(bench, "left"))
        q = np.array([r.q_upper for r in bench.references[start:]])
        assert np.abs(q[:, 5:] - q[0, 5:]).max() < 2e-3
        assert np.ptp(q[:, 1:5], axis=0).max() > 0.05
        expected = "idle" if frames is None else "engaged"
        assert bench.states == {"left": "engaged", "right": expected}
        bench.squeeze(0.0)
        bench.run(0.2)


def test_a_jump_of_half_a_metre_is_held_and_then_let_go(bench: Bench) -> None:
    for _ in TWICE:
        bench.engage()
        bench.run(0.5)
        start = bench.tip("left").translation
        bench.headset.hands["left"].position_m = np.array([0.4, 0.25, 1.7])
        bench.run(0.1)
        assert bench.states == {"left": "held", "right": "engaged"}
        bench.run(0.6)
        assert bench.states == {"left": "idle", "right": "engaged"}
        assert np.linalg.norm(bench.tip("left").translation - start) < 2e-3
        bench.squeeze(0.0)
        bench.headset.hands["left"].position_m = np.array([0.4, 0.25, 1.2])
        bench.run(0.2)


def test_a_pose_that_is_not_a_number_holds_its_hand_only(bench: Bench) -> None:
    for _ in TWICE:
        bench.engage()
        left = bench.headset.hands["left"]
        left.pose = Pose(p=(float("nan"), 1.0, 0.0), q=(0.0, 0.0, 0.0, 1.0))
        bench.run(0.1, swing(bench, "right"))
        assert bench.states == {"left": "held", "right": "engaged"}
        left.pose = None
        bench.run(0.1, swing(bench, "right"))
        assert bench.states == {"left": "engaged", "right": "engaged"}
        assert all(reference.is_finite() for reference in bench.references)
        bench.squeeze(0.0)
        bench.run(0.1)


@pytest.mark.parametrize("visibility", ["visible-blurred", "hidden"])
def test_a_headset_that_shows_its_menu_holds(bench: Bench, visibility: str) -> None:
    for _ in TWICE:
        bench.engage()
        bench.headset.visibility = visibility
        bench.run(0.1, swing(bench, "left"))
        assert bench.states == {"left": "held", "right": "held"}
        start = len(bench.references)
        bench.run(2.0, swing(bench, "left"))
        assert bench.states == {"left": "idle", "right": "idle"}
        bench.headset.visibility = "visible"
        bench.run(1.0, swing(bench, "left"))
        assert drift(bench, start) == 0.0
        bench.squeeze(0.0)


def test_one_hand_that_is_lost_does_not_touch_the_other(bench: Bench) -> None:
    for _ in TWICE:
        bench.engage()
        bench.headset.hands["left"].present = False
        bench.run(0.3, swing(bench, "right"))
        assert bench.states == {"left": "held", "right": "engaged"}
        start = len(bench.references)
        bench.run(1.0, swing(bench, "right"))
        q = np.array([r.q_upper for r in bench.references[start:]])
        assert np.ptp(q[:, 1:5], axis=0).max() == 0.0
        assert np.ptp(q[:, 5:], axis=0).max() > 0.05
        assert bench.states == {"left": "idle", "right": "engaged"}
        bench.headset.hands["left"].present = True
        bench.run(0.7, swing(bench, "right"))
        assert bench.states == {"left": "idle", "right": "engaged"}
        bench.squeeze(0.0)


def test_duplicated_and_reordered_frames_change_nothing(bench: Bench) -> None:
    kept: list[PoseFrame] = []

    def twice_and_late(frame: PoseFrame) -> list[PoseFrame]:
        kept.append(frame)
        return [frame, frame, *kept[-4:-1]]

    bench.engage()
    bench.filtered = twice_and_late
    bench.run(1.0, slide(bench, "left", [0.1, 0.0, 0.0], 0.8))
    x = np.array(
        [bench.tip("left", r.q_upper).translation[0] for r in bench.references]
    )
    assert (np.diff(x[-50:]) > -1e-4).all()
    assert bench.states["left"] == "engaged"
    assert bench.operator.counts["out_of_order"] > 200
    assert bench.operator.gaps == 0


def test_missing_frames_are_counted(bench: Bench) -> None:
    bench.ready()
    bench.filtered = lambda frame: [] if frame.seq % 10 == 0 else [frame]
    bench.run(2.0)
    assert bench.operator.gaps == pytest.approx(2.0 * RATE_HZ / 10, abs=1)


def test_frames_of_a_slow_network_hold(bench: Bench) -> None:
    """A pose that is 0.3 s old when it comes is not acted on."""
    bench.engage()
    queue: list[PoseFrame] = []

    def delayed(frame: PoseFrame) -> list[PoseFrame]:
        queue.append(frame)
        return [queue.pop(0)] if len(queue) > 0.3 * RATE_HZ else []

    bench.filtered = delayed
    bench.run(0.6, swing(bench, "left"))
    assert "engaged" not in bench.states.values()


def test_re_clutching_does_not_walk_out_of_reach(bench: Bench) -> None:
    """Five times press, 0.3 m forward, release, back."""
    left = bench.headset.hands["left"]
    for _ in range(5):
        left.position_m = np.array([0.4, 0.25, 1.2])
        bench.engage("left")
        bench.run(1.0, slide(bench, "left", [0.3, 0.0, 0.0], 0.8))
        assert bench.operator.reach_error_m["left"] < 0.051
        before = bench.tip("left").translation[0]
        bench.run(0.4, slide(bench, "left", [-0.1, 0.0, 0.0], 0.4))
        assert bench.tip("left").translation[0] < before - 0.04
        bench.squeeze(0.0, "left")
        bench.run(0.2)


def test_an_arm_stretched_beyond_its_reach_stays_calm(bench: Bench) -> None:
    """Out to 1.3 times the reach and back, ten times at 0.5 Hz."""
    left = bench.headset.hands["left"]
    bench.engage("left")
    start = left.position_m.copy()

    def pull(time_s: float) -> None:
        out = 0.35 * (1.0 - np.cos(np.pi * time_s))
        left.position_m = start + [out, 0.0, 0.1 * out]

    first = len(bench.references)
    bench.run(20.0, pull)
    references = bench.references[first:]
    v = np.array([r.v_upper for r in references])
    assert np.abs(v).max() <= bench.settings.ik.max_speed_rad_per_s + 1e-9
    elbow = np.array([r.q_upper[4] for r in references])
    assert (elbow < 0.0).all()
    tips = np.array([bench.tip("left", r.q_upper).translation for r in references])
    steps = np.linalg.norm(np.diff(tips, axis=0), axis=1)
    hand_speed = 0.35 * np.pi * 1.01
    assert steps.max() < hand_speed * TICK_S + 0.01
    assert bench.states["left"] == "engaged"


def test_a_press_moves_the_reference_to_the_measured_hand_and_no_further(
    bench: Bench,
) -> None:
    """Two presses in a row do not ratchet by more than the tracking error each."""
    start = bench.tip("left").translation
    for _ in range(3):
        bench.engage("left")
        bench.run(0.5)
        bench.squeeze(0.0, "left")
        bench.run(0.2)
    moved = np.linalg.norm(bench.tip("left").translation - start)
    assert moved < 3 * 0.41 * 0.02 + 2e-3
