"""Run folders appear whole or not at all, and a bad disk ends nothing."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from scenarios.errors import ScenarioError
from scenarios.records.run_folder import RunFolder, asked_path, choose_path


@dataclass(frozen=True, kw_only=True)
class _Asked:
    out: str | None
    no_files: bool


def _full_disk(path: Path) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", str(path))


def test_folder_appears_when_complete(tmp_path: Path) -> None:
    target = tmp_path / "runs" / "one"
    with RunFolder(target) as folder:
        folder.write_json("metrics.json", {"a": 1.5})
        folder.write_text("plots/note.txt", "hello")
        assert not target.exists()
    assert folder.problem is None
    assert json.loads((target / "metrics.json").read_text()) == {"a": 1.5}
    assert (target / "plots" / "note.txt").read_text() == "hello"
    assert [p.name for p in target.parent.iterdir()] == ["one"]


def test_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with RunFolder(choose_path(str(tmp_path / "out"), "x")) as folder:
        folder.write_text("a", "b")
    assert folder.problem is None
    assert (tmp_path / "out" / "a").is_file()


def test_exception_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), RunFolder(tmp_path / "one") as folder:
        folder.write_text("a", "b")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_costs_only_what_does_not_fit(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "one") as folder:
        folder.write_text("metrics.json", "{}")
        folder.write("log.mcap", _full_disk)
        folder.write_text("more", "small")
        folder.write("replay.html", _full_disk)
    assert "log.mcap, replay.html for" in str(folder.problem)
    assert str(folder.problem).count("No space left") == 1
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert names == {"metrics.json", "more"}


def test_one_picture_that_does_not_fit_costs_no_other(tmp_path: Path) -> None:
    class Picture:
        def __init__(self, write: Callable[[Path], object]) -> None:
            self._write = write

        def savefig(self, path: Path, dpi: int) -> None:
            assert dpi > 0
            self._write(path)

    with RunFolder(tmp_path / "one") as folder:
        figures: dict[str, Any] = {
            "small": lambda: Picture(Path.touch),
            "large": lambda: Picture(_full_disk),
        }
        folder.draw(figures)
    assert "plots/large.png" in str(folder.problem)
    assert [p.name for p in (tmp_path / "one" / "plots").iterdir()] == ["small.png"]


def test_a_folder_and_none_are_not_asked_for_together(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="--out .*: not with --no-files"):
        asked_path(_Asked(out=str(tmp_path / "x"), no_files=True), "run")
    assert asked_path(_Asked(out=None, no_files=True), "run") is None
    path = asked_path(_Asked(out=str(tmp_path / "x"), no_files=False), "run")
    assert path == tmp_path / "x"


def test_unwritable_place_is_a_sentence_not_an_exception(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with RunFolder(tmp_path / "file" / "one") as folder:
        folder.write_text("metrics.json", "{}")
    assert "could not write" in str(folder.problem)


def test_default_path_has_time_and_label_and_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    now = datetime(2026, 1, 2, 3, 4, 5)
    first = choose_path(None, "window_washing-run", now)
    assert first == Path("runs/20260102-030405-window_washing-run")
    first.mkdir(parents=True)
    assert choose_path(None, "window_washing-run", now) == Path(f"{first}-2")


def test_folder_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("data")
    with pytest.raises(ScenarioError, match="--out"):
        choose_path(str(tmp_path), "x")
    with pytest.raises(ScenarioError, match="--out"):
        choose_path(str(tmp_path / "precious"), "x")


def test_a_place_that_cannot_be_written_is_refused_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryDirectory", refuse)
    with pytest.raises(ScenarioError, match="Read-only file system"):
        choose_path(str(tmp_path / "new"), "run")


def test_a_picture_that_cannot_be_drawn_costs_no_other_file(tmp_path: Path) -> None:
    def cannot() -> None:
        raise ValueError("no such backend")

    with RunFolder(tmp_path / "run") as folder:
        folder.write_text("table.txt", "numbers")
        folder.draw({"forces": cannot})
    assert (tmp_path / "run" / "table.txt").read_text() == "numbers"
    assert folder.problem is not None
    assert "plots/forces.png" in folder.problem
    assert "ValueError: no such backend" in folder.problem
