"""Nothing that is typed may end in a traceback, hang, or blame something else."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Iterator
from pathlib import Path

import hostile_commands
import pytest

from scenarios.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hostile")
    hostile_commands.make_files(made)
    return made


@pytest.fixture(autouse=True)
def no_hang() -> Iterator[None]:
    """Ends the whole run where one command never comes back."""
    signal.alarm(60)
    yield
    signal.alarm(0)


@pytest.mark.parametrize(("command", "code", "words"), hostile_commands.LINES)
def test_every_hostile_command_ends_with_its_reason(
    command: str,
    code: int,
    words: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    found = main(shlex.split(command))
    out, err = capsys.readouterr()
    assert found == code, out + err
    assert words in out + err
    assert "Traceback" not in out + err
    assert not any(ord(letter) < 32 and letter not in "\n\r\t" for letter in out + err)


def test_there_are_more_than_three_hundred() -> None:
    assert len(set(hostile_commands.LINES)) > 300
