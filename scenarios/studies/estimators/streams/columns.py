"""Which columns of a recorded log hold which signal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pinocchio as pin

from ekf import JointLog
from ekf.model_lookup import channel_names, root_dofs
from models.arrays import Array
from models.errors import UnknownNameError
from models.toml_file import read_struct
from scenarios.errors import ScenarioError
from scenarios.studies.estimators.streams.mcap_table import Clock
from scenarios.studies.estimators.streams.table import Table

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
    clock: Clock = "auto"
    """Times of an MCAP's rows: "header" for the stamps in its messages, "received", or
    "auto": the headers' if they have them."""
    q: Names = "q_{i}"
    v: Names = "qd_{i}"
    tau: Names = "tau_{i}"
    q_scale: float = 1.0
    """Radians (or metres) per unit of the joints' positions: 0.0174533 for degrees."""
    v_scale: float = 1.0
    """Radians (or metres) per second per unit of the joints' velocities."""
    tau_scale: float = 1.0
    """Newton metres (or newtons) per unit of the torques."""
    tau_joint_scale: tuple[float, ...] = ()
    """A further factor per joint on the torques: a sign, or torque constant times gear
    ratio of a motor current."""
    q_joint_offset: tuple[float, ...] = ()
    """Added per joint to the scaled positions [rad, m]."""
    tau_joint_offset: tuple[float, ...] = ()
    """Added per joint to the scaled torques [Nm, N]."""
    unmeasured: tuple[str, ...] = ()
    """Joints whose torque nobody measured; their columns may be ``=0``."""
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
    time_s = mapping.time_scale * _column(table, mapping.time)
    if not len(time_s):
        raise ScenarioError("the log has no samples")
    joints = model.nv - root_dofs(model)
    signals = {}
    for name, size in sizes(model).items():
        signal = _signal(table, name, getattr(mapping, name), size, len(time_s))
        signal[:, size - joints :] *= getattr(mapping, f"{name}_scale")
        signals[name] = signal
    _calibrate(signals, mapping, joints)
    _fill_unmeasured(signals["tau"], mapping, model)
    a = None
    if mapping.a is not None:
        a = _signal(table, "a", mapping.a, model.nv, len(time_s))
    truth = None
    if mapping.truth_kg is not None:
        truth = _column(table, mapping.truth_kg)
    return JointLog(time_s=time_s, a=a, **signals), truth


def _calibrate(signals: dict[str, Array], mapping: ColumnMapping, joints: int) -> None:
    """Factors and offsets joint by joint, in place.

    Raises:
        ScenarioError: A list has the wrong length.
    """
    for key in ("tau_joint_scale", "q_joint_offset", "tau_joint_offset"):
        values = getattr(mapping, key)
        if not values:
            continue
        if len(values) != joints:
            raise ScenarioError(
                f"{key}: {len(values)} numbers, the robot needs {joints}"
            )
        own = signals[key.split("_")[0]][:, -joints:]
        if key.endswith("scale"):
            own *= np.array(values)
        else:
            own += np.array(values)


def _fill_unmeasured(tau: Array, mapping: ColumnMapping, model: pin.Model) -> None:
    """Zeros for torques that nobody measured, which need not be numbers.

    Raises:
        UnknownNameError: No such joint.
    """
    names = channel_names(model)
    for name in mapping.unmeasured:
        if name not in names:
            raise UnknownNameError("joint", name, names, "unmeasured")
        tau[:, names.index(name)] = 0.0


def sizes(model: pin.Model) -> dict[str, int]:
    """Entries of each signal."""
    return {"q": model.nq, "v": model.nv, "tau": model.nv - root_dofs(model)}


def column_names(mapping: ColumnMapping, model: pin.Model) -> list[str]:
    """All columns that a mapping asks for, positions of the joints first."""
    joints = model.nv - root_dofs(model)
    names: list[str] = []
    for kind, size in (*sizes(model).items(), ("a", model.nv)):
        columns = getattr(mapping, kind)
        if columns is not None:
            found = _names(columns, size)
            names += [*found[size - joints :], *found[: size - joints]]
    names += [] if mapping.truth_kg is None else [mapping.truth_kg]
    return [name for name in dict.fromkeys(names) if not name.startswith("=")]


def _names(columns: Names, size: int) -> Sequence[str]:
    if isinstance(columns, str):
        return [columns.replace("{i}", str(i)) for i in range(size)]
    return columns


def _signal(table: Table, name: str, columns: Names, size: int, rows: int) -> Array:
    names = _names(columns, size)
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
