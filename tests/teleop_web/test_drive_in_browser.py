"""From an emulated headset in a real browser to references, through the real core."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from browsing import WAIT_S, Headset, enter_vr, opened, until
from obedient_robot import ObedientRobot
from serving import served

from teleop.stream_messages import PayloadEstimate
from teleop.web import ServerAddress, robot_figure
from wbmpc.robot import Robot

STILL_M = 1e-3
SPEED_M_PER_S = 0.15


@pytest.fixture
def session(robot: Robot) -> ObedientRobot:
    return ObedientRobot(robot)


@pytest.fixture
def address(session: ObedientRobot, robot: Robot) -> Iterator[ServerAddress]:
    with served(session, figure=robot_figure(robot)) as found:
        yield found


@pytest.fixture
def vr(browser: Any, address: ServerAddress) -> Iterator[Any]:
    with opened(browser, address.urls[0], headset=True) as page:
        enter_vr(page)
        yield page


def reading(page: Any) -> str:
    """The state as the operator reads it, on the panel."""
    return str(page.evaluate("wbmpc.link.status.state"))


def test_the_whole_way(vr: Any, session: ObedientRobot) -> None:
    """Connect, engage, move 20 cm, twist, squat, be loaded, let go."""
    headset = Headset(vr)
    start = session.tip("left")
    headset.engage("left", "right")
    vr.wait_for_timeout(300)
    assert np.linalg.norm(session.tip("left") - start) < STILL_M

    headset.move("left", (0.0, 0.16, -0.12), SPEED_M_PER_S)
    vr.wait_for_timeout(500)
    moved = session.tip("left") - start
    assert moved == pytest.approx((0.12, 0.0, 0.16), abs=0.005)
    assert session.operator.reach_error_m["left"] < 0.005
    seen = vr.evaluate("wbmpc.figure.tipInRobotAxes('left')")
    assert seen == pytest.approx(session.tip("left"), abs=STILL_M)

    headset.stick("right", 1.0, 0.0)
    until(vr, lambda: session.references[-1].q_upper[0] < -0.2)
    headset.stick("right", 0.0, 0.0)
    standing = session.references[-1].com_height_m
    headset.stick("left", 0.0, 1.0)
    until(vr, lambda: session.references[-1].com_height_m < standing - 0.08)
    headset.stick("left", 0.0, 0.0)

    session.payload = {"left": PayloadEstimate(mass_kg=5.02, sigma_kg=0.3)}
    shown = "wbmpc.link.status.payload?.[0].mass_kg"
    until(vr, lambda: vr.evaluate(shown) == 5.02)

    headset.squeeze(0.0, "left", "right")
    until(vr, lambda: reading(vr) == "ready")
    rest = session.tip("left")
    headset.move("left", (0.1, 0.1, 0.0), SPEED_M_PER_S)
    headset.stick("left", 0.0, 1.0)
    vr.wait_for_timeout(300)
    assert np.linalg.norm(session.tip("left") - rest) < STILL_M
    assert session.operator.gaps == 0
    status = json.loads(session.status(time.monotonic()))
    assert status["gaps"] == vr.evaluate("wbmpc.link.status.gaps") == 0


def test_both_sides_agree_about_the_clock(vr: Any, session: ObedientRobot) -> None:
    Headset(vr)
    until(vr, lambda: session.page_clock and vr.evaluate("wbmpc.link.sent > 120"))
    offset_s, rtt_s = session.page_clock
    assert session.operator.clock.offset_s == pytest.approx(offset_s, abs=0.03)
    assert rtt_s < 0.05


def test_one_hand_lost_holds_itself_only(vr: Any, session: ObedientRobot) -> None:
    headset = Headset(vr)
    for _ in range(2):
        headset.engage("left", "right")
        headset.track("left", False)
        until(vr, lambda: not vr.evaluate("wbmpc.link.status.engaged.left"))
        left, right = session.tip("left"), session.tip("right")
        headset.move("right", (0.0, 0.08, 0.0), SPEED_M_PER_S)
        vr.wait_for_timeout(300)
        assert np.linalg.norm(session.tip("left") - left) < STILL_M
        assert session.tip("right")[2] - right[2] == pytest.approx(0.08, abs=0.01)
        assert "left" in vr.evaluate("wbmpc.link.status.reason")
        headset.track("left", True)
        headset.squeeze(0.0, "left", "right")
        headset.move("right", (0.0, -0.08, 0.0), SPEED_M_PER_S)


def test_both_sticks_stop_and_a_fresh_press_goes_on(
    vr: Any, session: ObedientRobot
) -> None:
    headset = Headset(vr)
    for _ in range(2):
        headset.engage("left")
        headset.press_sticks(True)
        until(vr, lambda: reading(vr) == "stopped")
        rest = session.tip("left")
        headset.move("left", (0.0, 0.05, 0.0), SPEED_M_PER_S)
        assert np.linalg.norm(session.tip("left") - rest) < STILL_M
        headset.press_sticks(False)
        headset.squeeze(0.0, "left")
    headset.engage("left")


def test_the_headset_s_menu_holds(vr: Any, session: ObedientRobot) -> None:
    headset = Headset(vr)
    for _ in range(2):
        headset.engage("left")
        vr.evaluate("device.updateVisibilityState('visible-blurred')")
        until(vr, lambda: not vr.evaluate("wbmpc.link.status.engaged.left"))
        rest = session.tip("left")
        headset.move("left", (0.0, 0.05, 0.0), SPEED_M_PER_S)
        assert np.linalg.norm(session.tip("left") - rest) < STILL_M
        assert "shows something else" in vr.evaluate("wbmpc.link.status.reason")
        vr.evaluate("device.updateVisibilityState('visible')")
        headset.squeeze(0.0, "left")


def test_a_jump_of_half_a_metre_never_reaches_the_arm(
    vr: Any, session: ObedientRobot
) -> None:
    headset = Headset(vr)
    for _ in range(2):
        headset.engage("left")
        rest = session.tip("left")
        headset.move("left", (0.0, 0.5, 0.0), 1e3)
        vr.wait_for_timeout(3000)
        assert np.linalg.norm(session.tip("left") - rest) < STILL_M
        assert not vr.evaluate("wbmpc.link.status.engaged.left")
        headset.squeeze(0.0, "left")
        headset.move("left", (0.0, -0.5, 0.0), 1e3)


def test_a_browser_killed_in_mid_motion_leaves_the_robot_where_it_is(
    browser: Any, session: ObedientRobot, address: ServerAddress
) -> None:
    for _ in range(2):
        with opened(browser, address.urls[0], headset=True) as page:
            enter_vr(page)
            headset = Headset(page)
            headset.engage("left")
            page.evaluate("() => { hands.left.speed = 0.2; hands.left.to[1] += 0.3; }")
            page.wait_for_timeout(500)
        end = time.monotonic() + WAIT_S
        while session.operator.hands["left"].drives:
            assert time.monotonic() < end
            time.sleep(0.01)
        time.sleep(0.3)
        rest = session.tip("left")
        time.sleep(1.0)
        assert np.linalg.norm(session.tip("left") - rest) < STILL_M
        assert session.references[-1].left_hand is None


def test_a_link_that_comes_back_needs_a_fresh_press(
    vr: Any, session: ObedientRobot
) -> None:
    headset = Headset(vr)
    for _ in range(2):
        headset.engage("left")
        rest = session.tip("left")
        vr.context.set_offline(True)
        vr.evaluate("wbmpc.link.drop()")
        until(vr, lambda: not session.operator.hands["left"].drives)
        headset.move("left", (0.0, 0.05, 0.0), SPEED_M_PER_S)
        vr.context.set_offline(False)
        until(vr, lambda: vr.evaluate("wbmpc.link.live && wbmpc.link.accepted"))
        vr.wait_for_timeout(1000)
        assert reading(vr) != "engaged"
        assert np.linalg.norm(session.tip("left") - rest) < STILL_M
        headset.squeeze(0.0, "left")


def test_a_view_that_is_re_centred_moves_nothing(
    vr: Any, session: ObedientRobot
) -> None:
    """By less than a jump that the gate would refuse."""
    headset = Headset(vr)
    for sides in (("left", "right"), ("left",)):
        vr.evaluate("device.position.set(0.05, 1.6, 0.05)")
        headset.engage(*sides)
        rest = {side: session.tip(side) for side in ("left", "right")}
        headset.recentre()
        vr.wait_for_timeout(1000)
        moved = {s: np.linalg.norm(session.tip(s) - rest[s]) for s in rest}
        assert max(moved.values()) < STILL_M, moved
        assert not any(hand.drives for hand in session.operator.hands.values())
        headset.squeeze(0.0, *sides)


def test_a_view_re_centred_behind_the_menu_or_at_rest_moves_nothing(
    vr: Any, session: ObedientRobot
) -> None:
    headset = Headset(vr)
    for engaged in (True, False, True):
        vr.evaluate("device.position.set(0.05, 1.6, 0.05)")
        vr.wait_for_timeout(600)
        if engaged:
            headset.engage("left", "right")
        rest = {side: session.tip(side) for side in ("left", "right")}
        vr.evaluate("device.updateVisibilityState('visible-blurred')")
        vr.wait_for_timeout(100)
        headset.recentre()
        vr.wait_for_timeout(100)
        vr.evaluate("device.updateVisibilityState('visible')")
        vr.wait_for_timeout(800)
        until(vr, lambda: reading(vr) in ("idle", "ready"))
        assert max(np.linalg.norm(session.tip(s) - rest[s]) for s in rest) < STILL_M
        headset.squeeze(0.0, "left", "right")
    headset.engage("left")
    rest = session.tip("left")
    headset.move("left", (0.0, 0.08, 0.0), SPEED_M_PER_S)
    lifted = pytest.approx((0.0, 0.0, 0.08), abs=0.005)
    until(vr, lambda: session.tip("left") - rest == lifted)


def test_hands_that_trade_places_let_go(vr: Any, session: ObedientRobot) -> None:
    """Closer together than what is a jump of one of them."""
    headset = Headset(vr)
    for side, x in (("left", 0.21), ("right", -0.21)):
        headset.move(side, (x, 0.0, 0.0), 1e3)
    for _ in range(2):
        headset.engage("left", "right")
        rest = {side: session.tip(side) for side in ("left", "right")}
        headset.swap()
        vr.wait_for_timeout(800)
        assert max(np.linalg.norm(session.tip(s) - rest[s]) for s in rest) < STILL_M
        assert reading(vr) != "engaged"
        headset.squeeze(0.0, "left", "right")


def test_a_session_that_ends_while_engaged_leaves_the_robot_where_it_is(
    vr: Any, session: ObedientRobot
) -> None:
    for _ in range(2):
        headset = Headset(vr)
        headset.engage("left", "right")
        vr.evaluate("() => { hands.left.speed = 0.2; hands.left.to[1] += 0.3; }")
        vr.wait_for_timeout(300)
        vr.evaluate("wbmpc.headset.session.end()")
        until(vr, lambda: not session.operator.hands["left"].drives)
        vr.wait_for_timeout(300)
        rest = {side: session.tip(side) for side in ("left", "right")}
        vr.wait_for_timeout(500)
        enter_vr(vr)  # with the hands still closed
        vr.wait_for_timeout(1200)
        assert max(np.linalg.norm(session.tip(s) - rest[s]) for s in rest) < STILL_M
        assert reading(vr) != "engaged"
        headset.squeeze(0.0, "left", "right")


def test_a_bare_hand_does_not_take_the_clutch_of_a_controller(
    vr: Any, session: ObedientRobot
) -> None:
    """The controller is put down while the fingers already pinch, and back again."""
    headset = Headset(vr)
    vr.evaluate(
        """() => {
          const { x, y, z } = device.controllers.left.position;
          setInterval(() => {
            const shaken = x + 1e-4 * (Math.random() - 0.5);
            device.hands.left.position.set(shaken, y - 0.05, z);
          }, 5);
          device.hands.left.updatePinchValue(1);
        }"""
    )
    for mode in ("hand", "controller"):
        if mode == "hand":
            headset.engage("left")
        else:
            vr.evaluate("device.hands.left.updatePinchValue(0)")
            vr.wait_for_timeout(800)
            vr.evaluate("device.hands.left.updatePinchValue(1)")
            until(vr, lambda: session.operator.hands["left"].drives)
        rest = session.tip("left")
        vr.evaluate(f"device.primaryInputMode = '{mode}'")
        vr.wait_for_timeout(1000)
        assert not session.operator.hands["left"].drives
        assert np.linalg.norm(session.tip("left") - rest) < 0.005  # the hand trembles


def press_space(page: Any) -> bool:
    """Press once; whether it engaged."""
    page.keyboard.press("Space")
    page.wait_for_timeout(2000)
    return bool(page.inner_text("#state") == "Engaged")


def test_mouse_and_keys_drive_the_same_core(
    browser: Any, session: ObedientRobot, address: ServerAddress
) -> None:
    size = {"width": 1000, "height": 700}
    with opened(browser, address.urls[0], viewport=size) as page:
        until(page, lambda: page.inner_text("#state") == "Ready")
        start = session.tip("right")
        until(page, lambda: press_space(page), 3.0 * WAIT_S)
        at = page.evaluate(
            """() => {
              const { stage, desktop } = wbmpc;
              const p = desktop.hands.right.handle.position.clone();
              p.project(stage.camera);
              return [(p.x + 1) / 2 * innerWidth, (1 - p.y) / 2 * innerHeight];
            }"""
        )
        page.mouse.move(*at)
        page.mouse.down()
        page.mouse.move(at[0], at[1] - 40, steps=5)
        until(page, lambda: session.tip("right")[2] - start[2] > 0.08)
        page.mouse.up()
        page.keyboard.down("f")
        standing = session.references[-1].com_height_m
        until(page, lambda: session.references[-1].com_height_m < standing - 0.03)
        page.keyboard.up("f")
        page.keyboard.press("Escape")
        until(page, lambda: page.inner_text("#state") == "Stopped")
