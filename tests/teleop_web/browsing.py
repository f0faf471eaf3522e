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
