"""All rows of a sweep as one table, CSV and Parquet."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from models.errors import UnknownNameError
from scenarios.errors import ScenarioError
from scenarios.run.settings import RunSettings
from scenarios.sweep.row import FIRST, MADE, Row, setting_columns
from scenarios.sweep.store import Store

LEADING = ("run_id", "status", "reason")
SORTED_BY = ("scenario", "robot", "plant", "estimator", "prior", *FIRST)
FORMATS = ("csv", "parquet")


class Table:
    """Rows in the order of their settings, and the columns that any of them has.

    Attributes:
        rows: One mapping per run.
        columns: Names, those of the making last.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        """Sort rows; the order says nothing about when they were made."""
        self.rows = sorted(rows, key=_place)
        names = dict.fromkeys(LEADING)
        for row in self.rows:
            names |= dict.fromkeys(row)
        made = [name for name in names if name.startswith(MADE)]
        self.columns = [name for name in names if not name.startswith(MADE)] + made

    def column(self, name: str) -> list[Any]:
        """Values of one column; None where a row has none."""
        return [row.get(name) for row in self.rows]

    def find(self, name: str) -> str:
        """The column of a name, or of the beginning of one: `payload` is `payload_kg`.

        Raises:
            UnknownNameError: None has it.
        """
        if name in self.columns:
            return name
        units = [c for c in self.columns if c.rpartition("_")[0] == name]
        begun = [c for c in self.columns if c.startswith(name)]
        for found in (units, begun):
            if len(found) == 1:
                return found[0]
        raise UnknownNameError("column", name, self.columns)

    def swept(self) -> list[str]:
        """Settings that are not the same in all rows.

        Seeds are left out, and what was drawn for each of them.
        """
        plain = set(setting_columns(RunSettings())) - {"seed"}
        return [
            name
            for name in self.columns
            if (name in plain or name.startswith(("set_", "push_")))
            and len({repr(value) for value in self.column(name)}) > 1
            and not self._is_drawn(name)
        ]

    def _is_drawn(self, name: str) -> bool:
        """Whether the seed alone decides over the value of a column."""
        found: dict[Any, set[str]] = {}
        for row in self.rows:
            found.setdefault(row.get("seed"), set()).add(repr(row.get(name)))
        return len(found) > 1 and all(len(values) == 1 for values in found.values())

    def differences(self, other: Table) -> list[str]:
        """What is not the same to the last bit, but for the making; one line each."""
        told = []
        ours, theirs = ({r["run_id"]: r for r in t.rows} for t in (self, other))
        told += [
            f"{run_id}: only in the first" for run_id in ours.keys() - theirs.keys()
        ]
        told += [
            f"{run_id}: only in the second" for run_id in theirs.keys() - ours.keys()
        ]
        for run_id in ours.keys() & theirs.keys():
            a, b = ours[run_id], theirs[run_id]
            for name in {**a, **b}:
                if not name.startswith(MADE) and repr(a.get(name)) != repr(b.get(name)):
                    told.append(f"{run_id}: {name} {a.get(name)!r}, {b.get(name)!r}")
        return sorted(told)

    def csv(self) -> bytes:
        """Text with a header line; numbers to the last bit, nothing where unknown."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        for row in self.rows:
            writer.writerow([_cell(row.get(name)) for name in self.columns])
        return text.getvalue().encode()

    def parquet(self) -> bytes:
        """The same with types.

        Raises:
            ScenarioError: There is no pyarrow.
        """
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            raise ScenarioError(
                "--format parquet: needs pyarrow: pip install 'wbmpc[parquet]'"
            ) from None
        arrays = {name: pa.array(_typed(self.column(name))) for name in self.columns}
        sink = pa.BufferOutputStream()
        pq.write_table(pa.table(arrays), sink)
        return bytes(sink.getvalue())


def write_tables(store: Store) -> Table:
    """Write `runs.csv` and, where there is pyarrow, `runs.parquet`, of all rows.

    One process after the other: of several that finish at the same time the last one
    has seen the rows of all.

    Raises:
        UnwrittenError: They cannot be written.
    """
    with _alone(store.folder):
        table = Table(store.rows())
        store.write("runs.csv", table.csv())
        with contextlib.suppress(ScenarioError):
            store.write("runs.parquet", table.parquet())
    return table


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Within, no other process writes the table; without locks it is written anyway."""
    try:
        import fcntl

        lock = (folder / ".table.lock").open("w")
    except (ImportError, OSError):
        yield
        return
    with lock:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _place(row: Row) -> tuple[Any, ...]:
    """Numbers before words, unknown first, then by the name of the run."""
    first = tuple(_comparable(row.get(name)) for name in SORTED_BY)
    return (*first, str(row.get("run_id")))


def _comparable(value: Any) -> tuple[int, float, str]:
    if isinstance(value, (int, float)):
        return 1, float(value), ""
    return (0, 0.0, "") if value is None else (2, 0.0, str(value))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _typed(values: list[Any]) -> list[Any]:
    """Values of one type: numbers of both kinds become floats, mixtures words."""
    known = [value for value in values if value is not None]
    kinds = {type(value) for value in known}
    if len(kinds) < 2:
        return values
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    return [None if value is None else _cell(value) for value in values]
