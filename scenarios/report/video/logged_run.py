"""What a film needs of a run, read from its log."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from models.arrays import Array
from scenarios.errors import ScenarioError
from scenarios.records.record import SIDES
from scenarios.studies.estimators.streams.mcap_source import McapSource
from scenarios.studies.estimators.streams.recorded import RUN_LOG
from wbmpc.robot import Robot

_STATES, _BASE, _BODY = "/joint_states", "/base/odometry", "/body"


@dataclass(frozen=True)
class LoggedRun:
    """A run as its log tells it.

    Attributes:
        path: The log.
        robot: Its robot.
        title: Scenario.
        has_estimator: Whether one was on.
        time_s: (T,) of the control ticks.
        q: (T, nq) configuration of `Robot.full_model`.
        loads_kg: (T, 2) true loads left and right; zero where nobody knows.
        estimates: (T, 2, 7) reported mass, centre and its standard deviations in the
            forearm's joint frame; zeros without a load.
        sigma_kg: (T, 2) standard deviation of the reported mass; NaN if not known.
        reports: Whether the estimator reported on loads.
        events: (time, sentence) in order.
    """

    path: Path
    robot: Robot
    title: str
    has_estimator: bool
    time_s: Array
    q: Array
    loads_kg: Array
    estimates: Array
    sigma_kg: Array
    reports: bool
    events: tuple[tuple[float, str], ...]

    def tick(self, time_s: float) -> int:
        """Tick shown at a time."""
        found = int(np.searchsorted(self.time_s, time_s - 1e-9))
        return min(found, len(self.time_s) - 1)


def find_logs(run: Path) -> tuple[Path, Path | None]:
    """Log of a run and, of a comparison, the one without the estimator.

    Args:
        run: An MCAP file, or the folder of a run or comparison.

    Raises:
        ScenarioError: There is none.
    """
    if run.is_file():
        return run, None
    if not (run / RUN_LOG).is_file():
        raise ScenarioError(
            f"{run}: must be an MCAP log of a run, or a folder that holds {RUN_LOG}"
        )
    other = run / "log-without_estimator.mcap"
    return run / RUN_LOG, other if other.is_file() else None


def read_run(path: Path) -> LoggedRun:
    """Read a log that `wbmpc run`, `compare` or `teleop` has written.

    Raises:
        ScenarioError: It is none, is broken, or its robot is not here any more.
    """
    # The robot of a log is found as `wbmpc estimate` finds it.
    from scenarios.studies.estimators.streams.robots import robot_of_run

    source = McapSource(path)
    notes = source.notes()
    if "run" not in notes:
        raise ScenarioError(
            f"{path}: is not the log of a run: it has no wbmpc metadata"
        )
    found = robot_of_run(notes)
    robot = Robot.load(found) if isinstance(found, str) else found
    settings = msgspec.json.decode(notes["run"])
    rows = _rows(source, robot)
    if len(rows.time_s) < 2:
        raise ScenarioError(f"{path}: holds {len(rows.time_s)} ticks; needs two")
    return LoggedRun(
        path=path,
        robot=robot,
        title=str(settings.get("scenario", "run")),
        has_estimator=settings.get("estimator", "") != "none",
        time_s=np.array(rows.time_s),
        q=np.array(rows.q),
        loads_kg=rows.at_ticks(rows.loads, 2),
        estimates=rows.at_ticks(rows.drawn, 14).reshape(-1, 2, 7),
        sigma_kg=rows.at_ticks(rows.sigma, 2, np.nan),
        reports=bool(rows.drawn),
        events=tuple(rows.events),
    )


class _Rows:
    """Messages as they come."""

    def __init__(self) -> None:
        self.time_s: list[float] = []
        self.q: list[Array] = []
        self.loads: dict[int, Array] = {}
        self.drawn: dict[int, Array] = {}
        self.sigma: dict[int, Array] = {}
        self.events: list[tuple[float, str]] = []

    def at_ticks(self, values: dict[int, Array], width: int, no: float = 0.0) -> Array:
        """(T, width) values by tick; `no` where there is none."""
        rows = np.full((len(self.time_s), width), no)
        for tick, row in values.items():
            if 0 <= tick < len(rows):
                rows[tick] = row.ravel()
        return rows


def _rows(source: McapSource, robot: Robot) -> _Rows:
    """All that is drawn; a tick begins with its joint states."""
    rows, base, order = _Rows(), np.zeros(7), list[int]()
    topics = [_STATES, _BASE, _BODY, "/rosout", *(f"/payloads/{s}" for s in SIDES)]
    for topic, stamp_ns, message in source.messages(topics, Counter()):
        tick = len(rows.time_s) - 1
        if topic == _STATES:
            order = order or [message.name.index(n) for n in robot.joint_names]
            rows.time_s.append(1e-9 * stamp_ns)
            joints = np.array(message.position)[order]
            rows.q.append(np.concatenate([base, joints]))
        elif topic == _BASE:
            base = _pose(message.pose.pose)
            rows.q[tick][:7] = base
        elif topic == _BODY:
            loads = np.array([message.payload_left_kg, message.payload_right_kg])
            rows.loads[tick] = np.nan_to_num(loads)
        elif topic == "/rosout":
            rows.events.append((1e-9 * stamp_ns, str(message.msg)))
        else:
            _take_payload(rows, tick, SIDES.index(topic.rpartition("/")[2]), message)
    return rows


def _take_payload(rows: _Rows, tick: int, side: int, message: Any) -> None:
    drawn = rows.drawn.setdefault(tick, np.zeros((2, 7)))
    sigma = rows.sigma.setdefault(tick, np.full(2, np.nan))
    if len(message.sigma_mass_kg):
        sigma[side] = message.sigma_mass_kg[0]
    if message.mass_kg > 0.0:
        drawn[side, 0] = message.mass_kg
        if len(message.com_m):
            drawn[side, 1:4] = message.com_m
        if len(message.sigma_com_m):
            drawn[side, 4:7] = message.sigma_com_m


def _pose(pose: Any) -> Array:
    """(7,) position and quaternion xyzw."""
    p, o = pose.position, pose.orientation
    return np.array([p.x, p.y, p.z, o.x, o.y, o.z, o.w])
