"""The replay page in a real browser."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sample_records import make_record

from scenarios.report.replay_page import write_animation
from wbmpc.robot import Robot

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)
EVENTS = ((1.0, "a load appears"), (1.5, "<b>attached</b>, 4.9 kg"))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    file = tmp_path_factory.mktemp("replay") / "replay.html"
    _write(file)
    errors: list[str] = []
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        view = browser.new_page(viewport={"width": 420, "height": 760})
        view.on("pageerror", lambda error: errors.append(str(error)))
        view.goto(file.as_uri())
        view.wait_for_function("Boolean(globalThis.wbmpc)")
        yield view
        browser.close()
    assert not errors


def _write(path: Path) -> None:
    robot = Robot.load("alexander")
    common = {"duration_s": 3.0, "at_s": 1.0, "payload_kg": 5.0}
    record = dataclasses.replace(make_record(robot, **common), events=EVENTS)
    write_animation(path, robot, record, make_record(robot, estimator="none", **common))


def test_play_moves_the_time_and_pause_holds_it(page: Any) -> None:
    page.evaluate("wbmpc.setPlaying(true); wbmpc.goTo(0)")
    page.wait_for_function("wbmpc.state.time > 0.1")
    page.click("#play")
    held = page.evaluate("wbmpc.state.time")
    page.wait_for_timeout(200)
    assert page.evaluate("wbmpc.state.time") == held
    assert page.inner_text("#play") == "Play"


def test_the_slider_sets_robot_clock_and_slider_alike(page: Any) -> None:
    page.evaluate(
        "scrub.value = 2; scrub.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    assert page.input_value("#scrub") == "2"
    assert page.inner_text("#clock").startswith("2.0 / 3.0 s")
    assert page.evaluate("viewer.animator.actions[0].time") == pytest.approx(2.0)


def test_events_lead_to_their_time_and_are_text(page: Any) -> None:
    assert page.locator("#events li").count() == 2
    assert page.locator("#marks i").count() == 2
    assert page.locator("#events b").count() == 0
    page.locator("#events button").nth(1).click()
    assert page.evaluate("wbmpc.state.time") == pytest.approx(1.5)
    assert page.locator("#events li.now").inner_text().startswith("1.50 s")


def test_one_run_can_be_shown_alone(page: Any) -> None:
    page.evaluate("document.getElementById('legend').open = true")
    page.check("input[value=with]")
    visible = "viewer.scene_tree.find(['meshcat', NODE]).object.visible"
    assert page.evaluate(visible.replace("NODE", "'robot'"))
    assert not page.evaluate(visible.replace("NODE", "'other'"))
    page.check("input[value=both]")
    assert page.evaluate(visible.replace("NODE", "'other'"))


def test_a_narrow_window_holds_everything(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") == 420
    for name in ("play", "scrub", "clock", "speed", "plots"):
        box = page.locator(f"#{name}").bounding_box()
        assert box["width"] > 0 and box["x"] >= 0 and box["x"] + box["width"] <= 420
    canvas = page.locator("#meshcat-pane canvas").first.bounding_box()
    pane = page.locator("#meshcat-pane").bounding_box()
    assert canvas["height"] == pytest.approx(pane["height"], abs=1.0)


def test_the_legend_names_robots_and_symbols(page: Any) -> None:
    words = page.inner_text("#legend")
    for part in ("alexander, with estimator", "without estimator", "true load"):
        assert part in words
    assert "estimated load" in words
