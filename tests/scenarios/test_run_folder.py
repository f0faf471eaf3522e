"""Run folders appear whole or not at all, and a bad disk ends nothing."""

from __future__ import annotations

import errno
import json
from datetime import datetime
from pathlib import Path

import pytest

from scenarios.errors import ScenarioError
from scenarios.records.run_folder import RunFolder, choose_path


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


def test_full_disk_is_said_once_and_keeps_what_was_written(tmp_path: Path) -> None:
    tried = []
    with RunFolder(tmp_path / "one") as folder:
        folder.write_text("metrics.json", "{}")
        folder.write("log.mcap", _full_disk)
        folder.write("more", tried.append)
    assert "log.mcap" in str(folder.problem)
    assert "No space left" in str(folder.problem)
    assert tried == []
    assert (tmp_path / "one" / "metrics.json").is_file()


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


def test_a_place_that_can_not_be_written_is_refused_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryDirectory", refuse)
    with pytest.raises(ScenarioError, match="Read-only file system"):
        choose_path(str(tmp_path / "new"), "run")
