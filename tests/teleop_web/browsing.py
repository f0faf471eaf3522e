"""A real browser, and an emulated headset in it."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)
SMALL = {"width": 320, "height": 240}
"""Larger pictures are slower than 50 Hz without a GPU."""
IWER = Path(__file__).parent / "vendor" / "iwer.min.js"
HEADSET = """
globalThis.device = new IWER.XRDevice(IWER.metaQuest3, { stereoEnabled: false });
device.installRuntime({ forceInstall: true });
device.position.set(0, 1.6, 0);
device.controllers.left.position.set(-0.25, 1.2, -0.4);
device.controllers.right.position.set(0.25, 1.2, -0.4);
"""
WAIT_S = 10.0
TRIES = 6


@contextlib.contextmanager
def launched() -> Iterator[Any]:
    """A headless browser; skips the test where there is none."""
    api = pytest.importorskip("playwright.sync_api")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def opened(
    browser: Any, url: str, *, headset: bool = False, **options: Any
) -> Iterator[Any]:
    """A page that has started; errors of its scripts fail the test."""
    errors: list[str] = []
    context = browser.new_context(
        **({"viewport": SMALL, "ignore_https_errors": True} | options)
    )
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    if headset:
        page.add_init_script(path=str(IWER))
        page.add_init_script(HEADSET)
    try:
        page.goto(url)
        until(page, lambda: page.evaluate("Boolean(globalThis.wbmpc)"))
        yield page
        assert not errors
    finally:
        context.close()


def enter_vr(page: Any) -> None:
    """Press the button and wait for the first frame of the session."""
    page.locator("#enter-vr:not([hidden])").dispatch_event("click")
    started = "Boolean(wbmpc.headset.session) && wbmpc.panel.mesh.visible"
    until(page, lambda: page.evaluate(started))


def until(page: Any, condition: Callable[[], Any], wait_s: float = WAIT_S) -> Any:
    """Let the browser go on until something is so; returns what it was."""
    end = time.monotonic() + wait_s
    while not (result := condition()):
        assert time.monotonic() < end, "it did not come about"
        page.wait_for_timeout(20)
    return result


STEADY = """
globalThis.hands = {};
for (const side of ["left", "right"]) {
  const { position } = device.controllers[side];
  hands[side] = { at: [position.x, position.y, position.z], to: null, speed: 0 };
  hands[side].to = [...hands[side].at];
}
const shake = () => 1e-4 * (Math.random() - 0.5);
let before = performance.now();
setInterval(() => {
  const now = performance.now(), time = (now - before) / 1000;
  before = now;
  for (const [side, { at, to, speed }] of Object.entries(hands)) {
    const way = to.map((x, i) => x - at[i]);
    const share = Math.min(1, (speed * time) / (Math.hypot(...way) || 1));
    way.forEach((x, i) => (at[i] += share * x));
    device.controllers[side].position.set(...at.map((x) => x + shake()));
  }
}, 5);
"""
"""Hands that tremble, as those of people do, and move at a speed."""


class Headset:
    """An operator's hands in the emulated headset of a page."""

    def __init__(self, page: Any) -> None:
        """Let the hands tremble from now on."""
        self._page = page
        page.evaluate(f"() => {{ {STEADY} }}")

    def move(self, side: str, by_m: tuple[float, float, float], speed: float) -> None:
        """Move a hand, in WebXR axes; returns when it is there."""
        self._page.evaluate(
            """([side, by, speed]) => {
              hands[side].to = hands[side].to.map((x, i) => x + by[i]);
              hands[side].speed = speed;
            }""",
            [side, by_m, speed],
        )
        gap = (
            "side => Math.hypot(...hands[side].to.map((x, i) => x - hands[side].at[i]))"
        )
        until(self._page, lambda: self._page.evaluate(gap, side) < 1e-6)

    def squeeze(self, value: float, *sides: str) -> None:
        """Close or open the hands."""
        for side in sides:
            self._button(side, "squeeze", value)

    def engage(self, *sides: str) -> None:
        """Press until the robot follows: a press right after trouble does not count."""
        wanted = [f"wbmpc.link.status?.engaged.{side}" for side in sides]
        for _ in range(TRIES):
            self._page.wait_for_timeout(800)
            self.squeeze(1.0, *sides)
            self._page.wait_for_timeout(400)
            if self._page.evaluate(" && ".join(wanted)):
                return
            self.squeeze(0.0, *sides)
        raise AssertionError(self._page.evaluate("wbmpc.link.status"))

    def press_sticks(self, pressed: bool) -> None:
        """Press both thumbsticks, or let them go."""
        for side in ("left", "right"):
            self._button(side, "thumbstick", float(pressed))

    def stick(self, side: str, x: float, y: float) -> None:
        """Tilt a thumbstick; forward is negative y."""
        self._page.evaluate(
            "([s, x, y]) => device.controllers[s].updateAxes('thumbstick', x, y)",
            [side, x, y],
        )

    def track(self, side: str, tracked: bool) -> None:
        """Lose a controller, or find it again."""
        self._page.evaluate(
            "([s, t]) => { device.controllers[s].connected = t; }", [side, tracked]
        )

    def recentre(self) -> None:
        """Let the origin of all coordinates come under the head, as headsets do."""
        self._page.evaluate(
            """() => {
              device.recenter();
              for (const [side, hand] of Object.entries(hands)) {
                const { position } = device.controllers[side];
                hand.at = [position.x, position.y, position.z];
                hand.to = [...hand.at];
              }
            }"""
        )

    def swap(self) -> None:
        """Let each controller take the other one's place at once."""
        self._page.evaluate(
            """() => {
              const { left, right } = hands;
              [left.at, right.at] = [right.at, left.at];
              [left.to, right.to] = [[...left.at], [...right.at]];
            }"""
        )

    def _button(self, side: str, name: str, value: float) -> None:
        self._page.evaluate(
            "([s, n, v]) => device.controllers[s].updateButtonValue(n, v)",
            [side, name, value],
        )
