"""A run as one file: numpy arrays and a line of JSON, no pickles."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from scenarios.errors import ScenarioError
from scenarios.records.record import RunRecord
from scenarios.run.settings import read_settings

_TREE = "__record__"
_DAMAGE = (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile)


def save_record(path: Path, record: RunRecord, notes: dict[str, Any]) -> None:
    """Write a record; the file appears under its name only when it is whole.

    Args:
        path: Ends in .npz.
        record: The run.
        notes: Whatever else belongs to it, as JSON.

    Raises:
        OSError: The file cannot be written.
    """
    arrays: dict[str, np.ndarray] = {}

    def put(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, np.ndarray):
            name = f"a{len(arrays)}"
            arrays[name] = value
            return name
        raise NotImplementedError(type(value))

    tree = msgspec.to_builtins(record, enc_hook=put)
    text = json.dumps({"record": tree, "notes": notes})
    arrays[_TREE] = np.frombuffer(text.encode(), dtype=np.uint8)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def load_record(path: Path) -> RunRecord:
    """Read a record.

    Raises:
        ScenarioError: The file is not one, or is damaged.
    """
    try:
        with path.open("rb") as raw, np.load(raw) as file:
            arrays = dict(file)
        tree = _tree(arrays)["record"]
        tree["settings"] = msgspec.to_builtins(read_settings(tree["settings"]))
        return msgspec.convert(
            tree, RunRecord, dec_hook=lambda _, name: arrays[name], strict=False
        )
    except _DAMAGE as error:
        raise ScenarioError(f"{path} is not a run record: {error}") from None


def read_notes(path: Path) -> dict[str, Any] | None:
    """Notes saved with a record; None if the file cannot be read."""
    try:
        with path.open("rb") as raw, np.load(raw) as file:
            notes: dict[str, Any] = _tree({_TREE: file[_TREE]})["notes"]
            return notes
    except _DAMAGE:
        return None


def _tree(arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(arrays[_TREE].tobytes())
    return tree
