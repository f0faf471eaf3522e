"""What a sweep leaves on disk, which is also all it knows of its state.

    rows/RUN_ID.json        one per finished run, failed ones included
    records/RUN_ID.npz      the run itself, tick by tick
    references/ID.npz       unloaded runs that others are compared with
    failures/RUN_ID.txt     traceback of a run that met a bug

Every file is written beside its place and moved into it: there are no half ones. Any
number of processes on any number of machines can write into one folder.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from models.errors import UnwrittenError
from scenarios.records.record import RunRecord
from scenarios.records.record_file import load_record, read_notes, save_record

Row = dict[str, Any]

STALE_S = 60.0
"""A file that has been written for so long belongs to a process that died."""


class Store:
    """Files of one sweep.

    Attributes:
        folder: Absolute.
    """

    def __init__(self, folder: Path) -> None:
        """Use a folder; nothing is made yet."""
        self.folder = folder.absolute()

    def prepare(self) -> None:
        """Make the folder, and take away what dead processes were writing.

        Raises:
            UnwrittenError: It cannot be made.
        """
        try:
            for name in ("rows", "records", "references"):
                (self.folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritten(self.folder, error) from None
        self.clean()

    def clean(self) -> None:
        """Take away what dead processes were writing."""
        for draft in self.folder.glob("*/.*.part"):
            with contextlib.suppress(OSError):
                if time.time() - draft.stat().st_mtime > STALE_S:
                    draft.unlink()

    def row(self, run_id: str) -> Row | None:
        """The row of a run; None if it has none that can be read."""
        try:
            path = self.folder / "rows" / f"{run_id}.json"
            row = msgspec.json.decode(path.read_bytes())
        except (OSError, ValueError):
            return None
        return row if isinstance(row, dict) and row.get("run_id") == run_id else None

    def rows(self) -> Iterator[Row]:
        """All rows, in no order that means anything."""
        for path in sorted((self.folder / "rows").glob("[!.]*.json")):
            row = self.row(path.stem)
            if row is not None:
                yield row

    def put_row(self, row: Row) -> None:
        """Keep a row.

        Raises:
            UnwrittenError: It cannot be written.
        """
        self.write(f"rows/{row['run_id']}.json", msgspec.json.encode(row))

    def put_trace(self, run_id: str, trace: str) -> None:
        """Keep a traceback.

        Raises:
            UnwrittenError: It cannot be written.
        """
        self.write(f"failures/{run_id}.txt", trace.encode())

    def record_path(self, run_id: str) -> Path:
        """Where the record of a run with a row is."""
        return self.folder / "records" / f"{run_id}.npz"

    def reference_path(self, name: str) -> Path:
        """Where the record of a reference is."""
        return self.folder / "references" / f"{name}.npz"

    def write(self, name: str, content: bytes) -> None:
        """Write one file, whole or not at all.

        Raises:
            UnwrittenError: It cannot be written.
        """
        path = self.folder / name
        draft = path.with_name(f".{path.name}.{_me()}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                draft.write_bytes(content)
                os.replace(draft, path)
            finally:
                draft.unlink(missing_ok=True)
        except OSError as error:
            raise _unwritten(path, error) from None


def has_record(path: Path, identity: str) -> bool:
    """Whether a record is there that was made by a program of this identity."""
    return (read_notes(path) or {}).get("identity") == identity


def keep_record(path: Path, record: RunRecord, identity: str) -> None:
    """Write a record.

    Raises:
        UnwrittenError: It cannot be written.
    """
    try:
        save_record(path, record, {"identity": identity})
    except OSError as error:
        raise _unwritten(path, error) from None


def pack_record(record: RunRecord, identity: str) -> bytes:
    """A record as the bytes of its file, where the file is elsewhere."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="wbmpc-") as folder:
        path = Path(folder) / "run.npz"
        keep_record(path, record, identity)
        return path.read_bytes()


def unpack_record(content: bytes) -> RunRecord:
    """What was packed."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="wbmpc-") as folder:
        path = Path(folder) / "run.npz"
        path.write_bytes(content)
        return load_record(path)


def _me() -> str:
    return f"{socket.gethostname()}.{os.getpid()}.{uuid.uuid4().hex[:6]}"


def _unwritten(path: Path, error: OSError) -> UnwrittenError:
    return UnwrittenError(f"cannot write {path}: {error.strerror or error}")
