"""The folder a run leaves behind: written beside its place, then moved into it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

import msgspec

from scenarios.errors import ScenarioError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULT_PARENT = Path("runs")


class RunFolder:
    """Collects files in a hidden folder and renames it when all are written.

    A folder with its final name is therefore never half way. What a full or read-only
    disk does not take, or cannot be drawn, is told in `problem`; every other file is
    kept.

    Attributes:
        path: Where the folder will be.
    """

    def __init__(self, path: Path) -> None:
        """Start collecting for a folder at `path`."""
        self.path = path.absolute()
        self._lost: dict[str, str] = {}
        self._draft = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")

    def __enter__(self) -> RunFolder:
        """Create the hidden folder."""
        self._attempt(lambda: self._draft.mkdir(parents=True), "the folder")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Move into place, or throw everything away after an exception."""
        if kind is None and self._draft.is_dir():
            self._attempt(self._publish, "the folder")
        shutil.rmtree(self._draft, ignore_errors=True)

    @property
    def problem(self) -> str | None:
        """Sentence about what could not be written; None if all was."""
        if not self._lost:
            return None
        names, reasons = ", ".join(self._lost), "; ".join(set(self._lost.values()))
        return f"could not write {names} for {self.path}: {reasons}"

    def write(self, name: str, writer: Callable[[Path], object]) -> None:
        """Let `writer` write one file; one that cannot be written is left out.

        Args:
            name: Path inside the folder; parents are made.
            writer: Called with the absolute path.
        """
        if not self._draft.is_dir():
            return

        def attempt() -> None:
            target = self._draft / name
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                writer(target)
            except Exception:
                _remove(target)  # half a file would look like a whole one
                raise

        self._attempt(attempt, name)

    def write_json(self, name: str, value: object) -> None:
        """Write an object as indented JSON."""
        text = msgspec.json.format(msgspec.json.encode(value), indent=2)
        self.write(name, lambda path: path.write_bytes(text + b"\n"))

    def write_text(self, name: str, text: str) -> None:
        """Write a text file."""
        self.write(name, lambda path: path.write_text(text, encoding="utf-8"))

    def draw(self, figures: Mapping[str, Callable[[], Figure]]) -> None:
        """Draw pictures by name, each into a file of its own below `plots`."""
        from scenarios.report.figure_style import DPI

        for name, draw in figures.items():
            self.write(
                f"plots/{name}.png",
                lambda path, draw=draw: draw().savefig(path, dpi=DPI),  # type: ignore[misc]
            )

    def leave_out(self, name: str, error: Exception) -> None:
        """Say of a file why it is not there."""
        reason = error.strerror if isinstance(error, OSError) else None
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        self._lost[name] = reason or what

    def _publish(self) -> None:
        # An empty folder of that name is replaced; anything else is an error.
        os.replace(self._draft, self.path)

    def _attempt(self, action: Callable[[], object], what: str) -> None:
        try:
            action()
        except Exception as error:  # one file, whatever it is, costs no other
            self.leave_out(what, error)


class FolderOptions(Protocol):
    """Options of a command that leaves a folder."""

    @property
    def out(self) -> str | None:
        """Where."""
        ...

    @property
    def no_files(self) -> bool:
        """Nowhere."""
        ...


def asked_path(options: FolderOptions, label: str) -> Path | None:
    """Path of the folder a command shall leave; None if there shall be none.

    Raises:
        ScenarioError: As `choose_path`; a folder and none are both asked for.
    """
    if not options.no_files:
        return choose_path(options.out, label)
    if options.out is not None:
        raise ScenarioError(
            f"--out {options.out}: not with --no-files, which writes nothing"
        )
    return None


def choose_path(out: str | None, label: str, now: datetime | None = None) -> Path:
    """Path of a new folder: `out` itself, or `runs/TIMESTAMP-LABEL`.

    Raises:
        ScenarioError: `out` is a file or a folder with something in it, or nothing can
            be written there.
    """
    if out is not None:
        path = Path(out)
        if not _is_free(path):
            raise ScenarioError(
                f"--out {out}: must be a folder that is empty or does not exist yet"
            )
        check_writable(path)
        return path
    stamp = (now or datetime.now()).strftime("%Y%m%d-%H%M%S")
    base, number = DEFAULT_PARENT / f"{stamp}-{label}", 1
    path = base
    while path.exists():
        number += 1
        path = base.with_name(f"{base.name}-{number}")
    check_writable(path)
    return path


def check_writable(path: Path) -> None:
    """Find out before a run what would make its files impossible after it.

    Raises:
        ScenarioError: Nothing can be written there.
    """
    try:
        ancestor = next(p for p in path.resolve().parents if p.exists())
        with tempfile.TemporaryDirectory(dir=ancestor, prefix=".wbmpc-"):
            return
    except OSError as error:
        raise ScenarioError(
            f"--out {path}: nothing can be written there: {error.strerror}"
        ) from None


def _is_free(path: Path) -> bool:
    """Whether a folder can be made there."""
    try:
        if path.is_dir():
            return not any(path.iterdir())
        ancestor = next(p for p in path.resolve().parents if p.exists())
        return not path.exists() and ancestor.is_dir()
    except OSError:
        return False


def _remove(path: Path) -> None:
    """Delete a file or folder, if that is possible."""
    with contextlib.suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
