"""Recorded logs in tables: CSV and Parquet."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from models.errors import UnknownNameError
from models.files import is_file, text_encoding
from scenarios.errors import ScenarioError
from scenarios.studies.estimators.streams.table import LoadedTable

CUT_LINE = "last line cut off"


def read_table(path: Path) -> LoadedTable:
    """Columns of a log by name; what is not a number is NaN.

    Raises:
        ScenarioError: No such file, a broken one, or a missing reader.
        UnknownNameError: An unknown kind of file.
    """
    if not is_file(path):
        raise ScenarioError(f"{path}: no such file")
    if path.suffix not in READERS:
        formats = (*READERS, ".mcap")
        raise UnknownNameError("log format", path.suffix, formats, str(path))
    return READERS[path.suffix](path)


def read_csv(path: Path) -> LoadedTable:
    """Columns of a CSV file with one line of names.

    A last line with fewer cells, of a recorder that was killed, is left out and told.

    Raises:
        ScenarioError: The file is not such a CSV.
    """
    try:
        with path.open(newline="", encoding=text_encoding(path)) as stream:
            lines = csv.reader(stream)
            names = [name.strip() for name in next(lines, [])]
            cells = [(lines.line_num, line) for line in lines if line]
    except (UnicodeError, csv.Error) as error:
        raise ScenarioError(f"{path}: not a CSV file: {error}") from None
    if not names:
        raise ScenarioError(f"{path}: is empty")
    lost: Counter[str] = Counter()
    if len(cells) > 1 and len(cells[-1][1]) < len(names):
        lost[CUT_LINE] += 1
        cells.pop()
    for number, line in cells:
        if len(line) != len(names):
            raise ScenarioError(
                f"{path}: line {number} has {len(line)}: every line must have as many "
                f"cells as the first, {len(names)}"
            )
    rows = [[_number(cell) for cell in line] for _, line in cells]
    values = np.array(rows, dtype=float).reshape(len(rows), len(names))
    return LoadedTable(columns=dict(zip(names, values.T, strict=True)), lost=lost)


def read_parquet(path: Path) -> LoadedTable:
    """Numeric columns of a Parquet file.

    Raises:
        ScenarioError: `pyarrow` is not installed, or the file is broken.
    """
    try:
        import pyarrow.parquet
    except ImportError:
        raise ScenarioError(
            f"{path}: reading Parquet needs pyarrow: pip install pyarrow"
        ) from None
    try:
        table = pyarrow.parquet.read_table(path)
        columns = {
            name: np.asarray(table[name].to_numpy(), dtype=float)
            for name in table.column_names
        }
    except (OSError, ValueError, TypeError) as error:
        raise ScenarioError(f"{path}: not a usable Parquet file: {error}") from None
    return LoadedTable(columns=columns)


READERS: dict[str, Callable[[Path], LoadedTable]] = {
    ".csv": read_csv,
    ".parquet": read_parquet,
}


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return float("nan")
