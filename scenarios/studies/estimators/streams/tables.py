"""Recorded logs as tables of numbers: CSV, Parquet and MCAP."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.errors import UnknownNameError
from models.files import is_file, text_encoding
from scenarios.errors import ScenarioError
from scenarios.studies.estimators.streams.columns import Table


def read_table(path: Path) -> Table:
    """Columns of a log by name; what is not a number is NaN.

    Raises:
        ScenarioError: No such file, a broken one, or a missing reader.
        UnknownNameError: An unknown kind of file.
    """
    if not is_file(path):
        raise ScenarioError(f"{path}: no such file")
    if path.suffix not in READERS:
        raise UnknownNameError("log format", path.suffix, READERS, str(path))
    return READERS[path.suffix](path)


def read_csv(path: Path) -> Table:
    """Columns of a CSV file with one line of names.

    Raises:
        ScenarioError: The file is not such a CSV.
    """
    try:
        with path.open(newline="", encoding=text_encoding(path)) as stream:
            lines = csv.reader(stream)
            names = [name.strip() for name in next(lines, [])]
            rows = [[_number(cell) for cell in line] for line in lines if line]
    except (UnicodeError, csv.Error) as error:
        raise ScenarioError(f"{path}: not a CSV file: {error}") from None
    if not names:
        raise ScenarioError(f"{path}: is empty")
    if any(len(row) != len(names) for row in rows):
        raise ScenarioError(f"{path}: every line must have as many cells as the first")
    values = np.array(rows, dtype=float).reshape(len(rows), len(names))
    return dict(zip(names, values.T, strict=True))


def read_parquet(path: Path) -> Table:
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
        return {
            name: np.asarray(table[name].to_numpy(), dtype=float)
            for name in table.column_names
        }
    except (OSError, ValueError, TypeError) as error:
        raise ScenarioError(f"{path}: not a usable Parquet file: {error}") from None


def read_mcap(path: Path) -> Table:
    """Numbers of a ROS 2 MCAP file, one row a message of the first joint states.

    Columns are ``TOPIC.FIELD``; those of a JointState are ``TOPIC.position[JOINT]``,
    ``.velocity[JOINT]`` and ``.effort[JOINT]``; other arrays ``TOPIC.FIELD[INDEX]``.
    ``t`` is the log time in seconds. Messages of other topics are held until the next.

    Raises:
        ScenarioError: The file is broken or has no joint states.
    """
    try:
        series = _collect(path)
    except Exception as error:  # noqa: BLE001  # mcap and rosbags raise many kinds
        reason = f"{type(error).__name__} {error}".strip()
        raise ScenarioError(
            f"{path}: not a readable MCAP file, or a truncated one ({reason})"
        ) from None
    clock = next((t for t in series if f"{JOINT_STATE} " in t), None)
    if clock is None:
        raise ScenarioError(f"{path}: has no {JOINT_STATE} topic")
    time_ns = np.array([stamp for stamp, _ in series[clock]], dtype=np.int64)
    table = {"t": 1e-9 * time_ns.astype(float)}
    for messages in series.values():
        table.update(_held(messages, time_ns))
    return table


READERS: dict[str, Callable[[Path], Table]] = {
    ".csv": read_csv,
    ".parquet": read_parquet,
    ".mcap": read_mcap,
}

JOINT_STATE = "sensor_msgs/msg/JointState"
_LONGEST_ARRAY = 16

Messages = list[tuple[int, dict[str, float]]]


def mcap_metadata(path: Path) -> dict[str, str]:
    """Notes that our own runs leave in their logs; empty for other files."""
    from mcap.reader import make_reader

    with path.open("rb") as stream:
        for record in make_reader(stream).iter_metadata():
            if record.name == "wbmpc":
                return dict(record.metadata)
    return {}


def _collect(path: Path) -> dict[str, Messages]:
    """Flattened messages by ``TYPE TOPIC``."""
    from mcap.reader import make_reader
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.ROS2_JAZZY)
    series: dict[str, Messages] = {}
    with path.open("rb") as stream:
        for schema, channel, message in make_reader(stream).iter_messages():
            if schema is None or schema.encoding != "ros2msg":
                continue
            if schema.name not in store.types:
                store.register(get_types_from_msg(schema.data.decode(), schema.name))
            decoded = store.deserialize_cdr(message.data, schema.name)
            flat = dict(_flatten(channel.topic, decoded))
            key = f"{schema.name} {channel.topic}"
            series.setdefault(key, []).append((message.log_time, flat))
    return series


def _flatten(prefix: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, bool | int | float | np.number):
        yield prefix, float(value)
        return
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is None:
        return
    labels = getattr(value, "name", None)
    for name in fields:
        if name.startswith("__"):
            continue
        entry = getattr(value, name)
        if isinstance(entry, np.ndarray | list):
            yield from _flatten_array(f"{prefix}.{name}", entry, labels)
        else:
            yield from _flatten(f"{prefix}.{name}", entry)


def _flatten_array(
    prefix: str, values: Any, labels: Any
) -> Iterator[tuple[str, float]]:
    named = isinstance(labels, list) and len(labels) == len(values)
    if not named and len(values) > _LONGEST_ARRAY:
        return
    for index, entry in enumerate(values):
        yield from _flatten(f"{prefix}[{labels[index] if named else index}]", entry)


def _held(messages: Messages, time_ns: NDArray[np.int64]) -> Table:
    """Columns of one topic at other times: the last message until then, else NaN."""
    stamps = np.array([stamp for stamp, _ in messages], dtype=np.int64)
    index = np.searchsorted(stamps, time_ns, side="right") - 1
    names = dict.fromkeys(name for _, flat in messages for name in flat)
    nan = float("nan")
    table = {}
    for name in names:
        values = np.array([flat.get(name, nan) for _, flat in messages])
        table[name] = np.where(index >= 0, values[np.maximum(index, 0)], nan)
    return table


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return float("nan")
