"""Finished runs on disk, found again by what they were asked for."""

from __future__ import annotations

from pathlib import Path

from models.errors import UnwrittenError
from scenarios.errors import ScenarioError
from scenarios.records.record import RunRecord
from scenarios.records.record_file import load_record, read_notes, save_record
from scenarios.records.run_digest import RunDigests
from scenarios.records.source_digest import source_digest
from scenarios.run.settings import RunSettings


class RunCache:
    """One file per run, named by a digest of all its settings.

    A run made by other program text counts as missing unless `keep_old`.
    """

    def __init__(self, folder: Path, *, keep_old: bool = False) -> None:
        """Use a folder.

        Args:
            folder: Made if missing.
            keep_old: Accept runs made by an earlier state of the program.

        Raises:
            ScenarioError: The folder cannot be made.
        """
        self.folder, self._keep_old = folder, keep_old
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ScenarioError(f"--out {folder}: {error.strerror}") from None

    def path(self, settings: RunSettings) -> Path:
        """Where the run of some settings is kept."""
        digest = RunDigests()(settings)
        return self.folder / f"{settings.scenario}-{digest}.npz"

    def has(self, settings: RunSettings) -> bool:
        """Whether a usable run is there."""
        notes = read_notes(self.path(settings)) or {}
        source = notes.get("source")
        return source is not None and (self._keep_old or source == source_digest())

    def get(self, settings: RunSettings) -> RunRecord | None:
        """The finished run, if a usable one is there."""
        return load_record(self.path(settings)) if self.has(settings) else None

    def put(self, record: RunRecord) -> None:
        """Keep a finished run.

        Raises:
            UnwrittenError: It cannot be written.
        """
        path = self.path(record.settings)
        try:
            save_record(path, record, {"source": source_digest()})
        except OSError as error:
            raise UnwrittenError(f"cannot write {path}: {error.strerror}") from None
