"""A recorded log as a stream: its robot, columns, usable rows and true payload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from ekf import JointLog
from ekf.model_lookup import root_dofs
from models.arrays import Array
from models.files import is_file, is_folder
from scenarios.errors import ScenarioError
from scenarios.run.estimation_robot import EstimationRobot
from scenarios.studies.estimators.streams.columns import (
    ColumnMapping,
    column_names,
    joint_log,
)
from scenarios.studies.estimators.streams.humanoid import stand_on_feet
from scenarios.studies.estimators.streams.mcap_source import BAG_NOTES, McapSource
from scenarios.studies.estimators.streams.mcap_table import joint_topics, read_mcap
from scenarios.studies.estimators.streams.robots import (
    find_robot,
    friction_of,
    robot_of_run,
)
from scenarios.studies.estimators.streams.samples import (
    NO_POSITION,
    NO_TORQUE,
    NO_VELOCITY,
    SampleCounts,
    mend_times,
)
from scenarios.studies.estimators.streams.stream import Stream
from scenarios.studies.estimators.streams.table import LoadedTable
from scenarios.studies.estimators.streams.tables import read_table
from scenarios.studies.estimators.streams.units import check_units

RUN_LOG = "log.mcap"
EPOCH_S = 1e8
"""Times that begin later than this count from 1970, not from the start of a log."""
_ODOMETRY = "/base/odometry"
_STATES = "/joint_states"
_BODY = "/body"


def read_stream(
    path: Path,
    *,
    robot: str | None = None,
    link: str | None = None,
    columns: ColumnMapping | None = None,
    friction: bool = False,
    lock: Mapping[str, float] | None = None,
) -> Stream:
    """Read a log.

    Args:
        path: MCAP, CSV or Parquet file, the folder of a run, or of a ROS 2 bag.
        robot: Robot by name, settings or URDF; by default the one our own logs tell.
        link: Link or frame that carries the payload.
        columns: Names of the columns; by default those of our own logs, the joint
            states of other MCAPs, and ``t, q_0 .., qd_0 .., tau_0 ..`` of tables.
        friction: Take the friction that a humanoid's settings state off the torques;
            of a run that did so, it is taken off without being asked.
        lock: Position [rad or m] by name of joints that do not move.

    Raises:
        ModelsError: No such file, robot, link or column, a broken file, or one in other
            units.
    """
    source = _source(path)
    notes = {} if source is None else source.notes()
    known = robot or (robot_of_run(notes) if "run" in notes else None)
    if known is None:
        raise ScenarioError(f"{path}: the log does not name its robot: give --robot")
    side = _loaded_side(notes)
    found = find_robot(known, link, side=side, lock=lock)
    if found.feet and (friction or _was_compensated(notes)):
        found = replace(found, friction=friction_of(known))
    if friction and found.friction is None:
        raise ScenarioError(f"--friction: the settings of {found.name} state none")
    if source is None:
        mapping = columns or ColumnMapping()
        loaded = read_table(path)
    else:
        mapping = columns or _default_columns(source, found, side, notes)
        loaded = read_mcap(source, column_names(mapping, found.model), mapping.clock)
    stream = _stream(loaded, mapping, found, path)
    return stand_on_feet(stream) if found.feet else stream


def _source(path: Path) -> McapSource | None:
    """The recording; None for tables.

    Raises:
        ScenarioError: No such file, or a folder without one.
    """
    if not is_folder(path):
        if not is_file(path):
            raise ScenarioError(f"{path}: no such file")
        return McapSource(path) if path.suffix == ".mcap" else None
    if is_file(path / RUN_LOG):
        return McapSource(path / RUN_LOG)
    if is_file(path / BAG_NOTES):
        return McapSource(path)
    raise ScenarioError(
        f"{path}: is no log: a folder must hold {RUN_LOG}, of a run, or {BAG_NOTES}, "
        "of a ROS 2 bag"
    )


def _stream(
    loaded: LoadedTable, mapping: ColumnMapping, robot: EstimationRobot, path: Path
) -> Stream:
    log, truth = joint_log(loaded.columns, mapping, robot.model)
    usable = _usable(log)
    counts = SampleCounts(
        total=len(log) + loaded.lost.total(),
        used=len(usable.rows),
        refused=dict(loaded.lost + usable.refused),
    )
    if len(usable.rows) < 2:
        raise ScenarioError(f"{path}: needs two usable samples: {counts.sentence()}")
    log = JointLog(
        time_s=usable.time_s,
        q=log.q[usable.rows],
        v=log.v[usable.rows],
        tau=log.tau[usable.rows],
        a=None if log.a is None else log.a[usable.rows],
    )
    if truth is not None:  # NaN of a run that nobody simulated
        truth = None if np.isnan(truth).all() else truth[usable.rows]
    return Stream(
        name=path.stem,
        robot=robot,
        log=log,
        truth_kg=truth,
        at_s=_step_s(log.time_s, truth),
        notes=str(path),
        samples=counts,
        unmeasured=mapping.unmeasured,
        remarks=(
            *loaded.notes,
            *usable.remarks,
            *check_units(log, robot.model, str(path)),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class _Usable:
    """Rows that can be used, their times, and why the others cannot."""

    rows: NDArray[np.intp]
    time_s: Array
    refused: Counter[str]
    remarks: tuple[str, ...]


def _usable(log: JointLog) -> _Usable:
    rows, time_s, refused, resets = mend_times(log.time_s)
    good = np.ones(len(rows), dtype=bool)
    signals = ((log.q, NO_POSITION), (log.v, NO_VELOCITY), (log.tau, NO_TORQUE))
    for values, reason in signals:
        bad = good & ~np.isfinite(values[rows]).all(axis=1)
        refused[reason] += int(bad.sum())
        good &= ~bad
    rows, time_s, remarks = rows[good], time_s[good], []
    if resets:
        often = "once" if resets == 1 else f"{resets} times"
        remarks.append(f"the clock was set back {often}: its rows go on from there")
    if len(time_s) and time_s[0] > EPOCH_S:
        remarks.append("times count from the first usable sample")
        time_s = time_s - time_s[0]
    return _Usable(rows=rows, time_s=time_s, refused=+refused, remarks=tuple(remarks))


def _default_columns(
    source: McapSource,
    robot: EstimationRobot,
    side: str | None,
    notes: dict[str, str],
) -> ColumnMapping:
    """Columns of a run's log, or the only joint states that have all joints.

    Raises:
        ScenarioError: There are none, or several.
    """
    model = robot.model
    floating = root_dofs(model) > 0
    joints = list(model.names)[2 if floating else 1 :]
    topics = (_STATES,) if notes else joint_topics(source, joints)
    if len(topics) != 1:
        raise ScenarioError(
            f"{source.path}: {len(topics)} topics of joint states have all joints of "
            f"{robot.name}, {', '.join(joints)}: name the columns with --columns"
        )
    pose, twist = f"{_ODOMETRY}.pose.pose", f"{_ODOMETRY}.twist.twist"
    base_q = [f"{pose}.position.{c}" for c in "xyz"]
    base_q += [f"{pose}.orientation.{c}" for c in "xyzw"]
    base_v = [f"{twist}.{part}.{c}" for part in ("linear", "angular") for c in "xyz"]

    def states(kind: str) -> list[str]:
        return [f"{topics[0]}.{kind}[{joint}]" for joint in joints]

    return ColumnMapping(
        q=(*(base_q if floating else ()), *states("position")),
        v=(*(base_v if floating else ()), *states("velocity")),
        tau=tuple(states("effort")),
        truth_kg=f"{_BODY}.payload_{side}_kg" if notes else None,
    )


def _was_compensated(notes: dict[str, str]) -> bool:
    """Whether the log is of a run whose estimator knew the joints' friction."""
    if "run" not in notes:
        return False
    from scenarios.run.plant_side import has_known_friction
    from scenarios.run.settings import read_settings

    return has_known_friction(read_settings(msgspec.json.decode(notes["run"])))


def _loaded_side(notes: dict[str, str]) -> str | None:
    if "run" not in notes:
        return None
    arm = str(msgspec.json.decode(notes["run"]).get("arm", "left"))
    return arm if arm in ("left", "right") else "left"


def _step_s(time_s: Array, truth_kg: Array | None) -> float | None:
    """When the payload is there for the first time."""
    if truth_kg is None or not (truth_kg > 0.0).any():
        return None
    return float(time_s[np.argmax(truth_kg > 0.0)])
