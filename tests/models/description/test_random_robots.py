"""Any valid robot loads and is the same in both engines; no text ends the process."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from random_robots import broken_texts, robot_texts
from two_engines import compare
from urdf_texts import checked, described, joint, link, robot

from models.description.check import check_description
from models.description.findings import Report
from models.description.reading import describe, read_description
from models.description.repair import repaired_text
from models.description.urdf_source import parse_urdf
from models.errors import ModelsError
from wbmpc.robot_model import load_fixed, load_floating

QUICK = settings(
    max_examples=60,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
LONG = settings(QUICK, max_examples=2000)
FOLDER = Path(tempfile.gettempdir())


def written(content: bytes, folder: str) -> Path:
    path = Path(folder) / "robot.urdf"
    path.write_bytes(content)
    return path


def same_robot_in_both_engines(text: str) -> None:
    report = checked(text)
    assert report.ok, [f.sentence() for f in report.errors]
    with tempfile.TemporaryDirectory() as folder:
        model = load_floating(written(text.encode(), folder), {})
    compare(model, samples=3)


def load_or_refuse(content: bytes) -> str:
    """Check and load a text as the commands do; what became of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(content, folder)
        try:
            description = read_description(path)
        except ModelsError as error:
            assert str(path) in str(error)
            return "unreadable"
        report = check_description(description)
        assert isinstance(report, Report)
        repaired_text(description)
        try:
            compare(load_floating(path, {}), samples=1)
        except ModelsError as error:
            assert str(path) in str(error)
            _load_arm(path)
            return "refused"
        assert report.ok
        return "loaded"


def _load_arm(path: Path) -> None:
    """Fixed arms may have limits of any kind."""
    try:
        model = load_fixed(path)
    except ModelsError:
        return
    assert np.isfinite([i.mass for i in model.inertias]).all()


@seed(0)
@QUICK
@given(robot_texts())
def test_random_robots_are_equal_in_both_engines(text: str) -> None:
    same_robot_in_both_engines(text)


@pytest.mark.slow
@seed(1)
@LONG
@given(robot_texts(max_links=40))
def test_many_random_robots_are_equal_in_both_engines(text: str) -> None:
    same_robot_in_both_engines(text)


def _fuzz(seed_of_run: int, examples: int, outcomes: object) -> None:
    """Run in a process of its own, which native code may end."""
    counts: dict[str, int] = {}

    @seed(seed_of_run)
    @settings(QUICK, max_examples=examples)
    @given(broken_texts())
    def run(content: bytes) -> None:
        outcome = load_or_refuse(content)
        counts[outcome] = counts.get(outcome, 0) + 1

    run()
    outcomes.put(counts)  # type: ignore[attr-defined]


def fuzz_in_a_child(seed_of_run: int, examples: int) -> dict[str, int]:
    context = multiprocessing.get_context("spawn")
    outcomes = context.Queue()
    child = context.Process(target=_fuzz, args=(seed_of_run, examples, outcomes))
    child.start()
    child.join(600.0)
    assert child.exitcode == 0
    return outcomes.get(timeout=5.0)


def test_broken_files_never_end_the_process() -> None:
    counts = fuzz_in_a_child(2, 250)
    assert counts["refused"] > 20
    assert counts["unreadable"] > 20


@pytest.mark.slow
def test_many_broken_files_never_end_the_process() -> None:
    assert sum(fuzz_in_a_child(3, 5000).values()) >= 5000


@seed(4)
@QUICK
@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes_are_a_description_or_a_sentence(content: bytes) -> None:
    try:
        check_description(describe(parse_urdf(Path("any.urdf"), content)))
    except ModelsError as error:
        assert "any.urdf" in str(error)


def test_a_chain_of_links_is_no_recursion() -> None:
    """As long as is allowed; one more is refused before native code."""
    parts = [link("l0")]
    for i in range(1, 1500):
        parts += [link(f"l{i}"), joint(f"j{i}", f"l{i - 1}", f"l{i}", kind="fixed")]
    with tempfile.TemporaryDirectory() as folder:
        model = load_floating(written(robot(*parts).encode(), folder), {})
    assert model.nv == 6
    parts += [link(f"m{i}") for i in range(600)]
    assert "must have at most 2000" in checked(robot(*parts)).errors[0].rule


def test_forty_links_load_and_are_checked_within_five_seconds() -> None:
    parts = [link("l0")]
    for i in range(1, 40):
        parts += [link(f"l{i}"), joint(f"j{i}", f"l{(i - 1) // 2}", f"l{i}")]
    text = robot(*parts)
    started = time.perf_counter()
    assert check_description(described(text)).ok
    same_robot_in_both_engines(text)
    assert time.perf_counter() - started < 5.0
