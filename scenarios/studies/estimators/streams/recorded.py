"""A recorded log as a stream."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from ekf.model_lookup import root_dofs
from models.arrays import Array
from models.files import is_folder
from scenarios.errors import ScenarioError
from scenarios.run.estimation_robot import EstimationRobot
from scenarios.studies.estimators.streams.columns import ColumnMapping, Table, joint_log
from scenarios.studies.estimators.streams.humanoid import stand_on_feet
from scenarios.studies.estimators.streams.robots import find_robot, friction_of
from scenarios.studies.estimators.streams.stream import Stream
from scenarios.studies.estimators.streams.tables import mcap_metadata, read_table

RUN_LOG = "log.mcap"
_ODOMETRY = "/base/odometry"
_STATES = "/joint_states"


def read_stream(
    path: Path,
    *,
    robot: str | None = None,
    link: str | None = None,
    columns: ColumnMapping | None = None,
    friction: bool = False,
) -> Stream:
    """Read a log.

    Args:
        path: MCAP, CSV or Parquet file, or the folder of a run.
        robot: Robot by name or URDF; by default the one our own logs name.
        link: Link or frame that carries the payload.
        columns: Names of the columns; by default those of our own logs for MCAP, and
            ``t, q_0 .., qd_0 .., tau_0 ..`` for tables.
        friction: Take the friction that a humanoid's settings state off the torques;
            of a run that did so, it is taken off without being asked.

    Raises:
        ModelsError: No such file, robot, link or column, or a broken file.
    """
    path = path / RUN_LOG if is_folder(path) else path
    table = read_table(path)
    notes = mcap_metadata(path) if path.suffix == ".mcap" else {}
    name = robot or notes.get("robot_name")
    if name is None:
        raise ScenarioError(f"{path}: the log does not name its robot: give --robot")
    side = _loaded_side(notes)
    found = find_robot(name, link or _tip(name, side))
    if found.feet and (friction or _was_compensated(notes)):
        found = replace(found, friction=friction_of(name))
    if friction and found.friction is None:
        raise ScenarioError(f"--friction: the settings of {name} state none")
    if columns is None:
        columns = _our_columns(found, side, table) if notes else ColumnMapping()
    log, truth = joint_log(table, columns, found.model)
    if truth is not None and np.isnan(truth).all():  # of a run that nobody simulated
        truth = None
    stream = Stream(
        name=path.stem,
        robot=found,
        log=log,
        truth_kg=truth,
        at_s=_step_s(log.time_s, truth),
        notes=str(path),
    )
    return stand_on_feet(stream) if found.feet else stream


def _our_columns(
    robot: EstimationRobot, side: str | None, table: Table
) -> ColumnMapping:
    """Columns of the logs that `wbmpc run` writes."""
    model = robot.model
    floating = root_dofs(model) > 0
    joints = list(model.names)[2 if floating else 1 :]
    pose, twist = f"{_ODOMETRY}.pose.pose", f"{_ODOMETRY}.twist.twist"
    base_q = [f"{pose}.position.{c}" for c in "xyz"]
    base_q += [f"{pose}.orientation.{c}" for c in "xyzw"]
    base_v = [f"{twist}.{part}.{c}" for part in ("linear", "angular") for c in "xyz"]
    truth = f"/body.payload_{side}_kg"

    def states(kind: str) -> list[str]:
        return [f"{_STATES}.{kind}[{joint}]" for joint in joints]

    return ColumnMapping(
        q=(*(base_q if floating else ()), *states("position")),
        v=(*(base_v if floating else ()), *states("velocity")),
        tau=tuple(states("effort")),
        truth_kg=truth if truth in table else None,
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


def _tip(robot: str, side: str | None) -> str | None:
    """Forearm tip of the loaded side of a shipped humanoid."""
    from models import robot_names
    from wbmpc.settings import load_settings

    if side is None or robot not in robot_names():
        return None
    settings = load_settings(robot)
    return {"left": settings.left, "right": settings.right}[side].tip_frame


def _step_s(time_s: Array, truth_kg: Array | None) -> float | None:
    """When the payload is there for the first time."""
    if truth_kg is None or not (truth_kg > 0.0).any():
        return None
    return float(time_s[np.argmax(truth_kg > 0.0)])
