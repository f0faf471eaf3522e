"""Which columns of a recorded log hold which signal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
import pinocchio as pin

from ekf import JointLog
from ekf.model_lookup import root_dofs
from models.arrays import Array
from models.errors import UnknownNameError
from models.toml_file import read_struct
from scenarios.errors import ScenarioError

Table = Mapping[str, Array]
"""Columns of equal length by name."""

Names = str | tuple[str, ...]


class ColumnMapping(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """Column names of a log.

    Signals are a list of columns, one an entry of the vector in Pinocchio's order, or
    one pattern in which ``{i}`` counts from 0. An entry ``=NUMBER`` is that number in
    every row, for joints nobody recorded (the fingers of a gripper).
    """

    time: str = "t"
    time_scale: float = 1.0
    """Seconds per unit of the time column: 1e-9 for nanoseconds."""
    q: Names = "q_{i}"
    v: Names = "qd_{i}"
    tau: Names = "tau_{i}"
    a: Names | None = None
    """Accelerations that belong to the torques, if there are any."""
    truth_kg: str | None = None
    """True payload, for the comparison."""


def load_mapping(path: Path) -> ColumnMapping:
    """Read a mapping from TOML.

    Raises:
        SettingsError: No such file, bad TOML, an unknown key or a wrong type.
    """
    return read_struct(path, ColumnMapping)


def joint_log(
    table: Table, mapping: ColumnMapping, model: pin.Model
) -> tuple[JointLog, Array | None]:
    """Samples of a table, and the true payload if the mapping names one.

    Raises:
        UnknownNameError: A column does not exist.
        ScenarioError: A list has the wrong length, or the log is empty.
    """
    sizes = {"q": model.nq, "v": model.nv, "tau": model.nv - root_dofs(model)}
    time_s = mapping.time_scale * _column(table, mapping.time)
    if not len(time_s):
        raise ScenarioError("the log has no samples")
    signals = {
        name: _signal(table, name, getattr(mapping, name), size, len(time_s))
        for name, size in sizes.items()
    }
    a = None
    if mapping.a is not None:
        a = _signal(table, "a", mapping.a, model.nv, len(time_s))
    truth = None
    if mapping.truth_kg is not None:
        truth = _column(table, mapping.truth_kg)
    return JointLog(time_s=time_s, a=a, **signals), truth


def _signal(table: Table, name: str, columns: Names, size: int, rows: int) -> Array:
    names: Sequence[str] = (
        [columns.replace("{i}", str(i)) for i in range(size)]
        if isinstance(columns, str)
        else columns
    )
    if len(names) != size:
        raise ScenarioError(
            f"columns of {name}: {len(names)} names, the robot needs {size}"
        )
    return np.column_stack([_entry(table, column, rows) for column in names])


def _entry(table: Table, name: str, rows: int) -> Array:
    if not name.startswith("="):
        return _column(table, name)
    try:
        return np.full(rows, float(name[1:]))
    except ValueError:
        raise ScenarioError(f"column {name!r}: not a number after =") from None


def _column(table: Table, name: str) -> Array:
    if name not in table:
        raise UnknownNameError("column", name, table)
    return table[name]
