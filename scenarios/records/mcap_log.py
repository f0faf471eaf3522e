"""A run as an MCAP file with ROS 2 message layouts.

Foxglove, PlotJuggler and rerun open it. Standard messages where they exist, and flat
messages with one named float64 a channel for the rest. Message stamps and log times are
simulation time; the metadata say when on the calendar that was. What is not known is
an empty list, never a number that stands for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from mcap.writer import CompressionType, Writer

from ekf.supervisor.observability import CHANNELS
from models.arrays import Array
from scenarios.records.frames import WORLD, sole_frame
from scenarios.records.log_schemas import (
    BODY_FIELDS,
    FLAT,
    LINK_FIELDS,
    SUPERVISION_FIELDS,
    TIP_FIELDS,
    Message,
    Schemas,
    nanoseconds,
)
from scenarios.records.logged_scene import LoggedScene
from scenarios.records.parameters import com_m
from scenarios.records.record import SIDES, LinkSeries, PayloadSeries, RunRecord
from scenarios.records.versions import installed_versions
from wbmpc.robot import BASE
from wbmpc.settings import load_settings

SCENE_EVERY = 4
"""Ticks between two pictures of the scene: 25 a second are enough to look at."""
UNKNOWN = 1e3
"""A mass or place so uncertain is not known."""
LATCHED = ("/robot_description", "/tf_static")
LATCHED_QOS = "- history: 1\n  depth: 1\n  reliability: 1\n  durability: 1\n"
"""As bags note it: kept last, reliable, transient local."""


def write_log(path: Path, record: RunRecord) -> None:
    """Write a run.

    Topics, as docs/architecture.md describes them: /robot_description, /tf_static and
    /tf, /joint_states, /upper_body_reference, /base/odometry, /feet/SIDE/wrench and
    /feet/SIDE/wrench_estimated, /links/SIDE, /payloads/SIDE, /loads, /estimator,
    /tips/SIDE, /body, /status, /timing, /cost, /rosout.

    Args:
        path: File to write.
        record: The run.

    Raises:
        OSError: The file cannot be written.
    """
    schemas = Schemas(record)
    with path.open("wb") as stream:
        writer = Writer(stream, compression=CompressionType.ZSTD)
        writer.start(profile="ros2", library="wbmpc")
        try:
            writer.add_metadata("wbmpc", _metadata(record))
            _write_messages(writer, schemas, record)
        finally:
            writer.finish()


def _write_messages(writer: Writer, schemas: Schemas, record: RunRecord) -> None:
    channels: dict[str, int] = {}
    sequence = 0
    for time_s, topic, kind, message in _in_time_order(schemas, record):
        if topic not in channels:
            channels[topic] = _open_channel(writer, schemas, topic, kind)
        stamp = nanoseconds(time_s)
        writer.add_message(
            channels[topic],
            log_time=stamp,
            publish_time=stamp,
            sequence=sequence,
            data=bytes(schemas.store.serialize_cdr(message, kind)),
        )
        sequence += 1


def _open_channel(writer: Writer, schemas: Schemas, topic: str, kind: str) -> int:
    text, _ = schemas.store.generate_msgdef(kind, ros_version=2)
    schema = writer.register_schema(kind, "ros2msg", text.encode())
    latched = {"offered_qos_profiles": LATCHED_QOS} if topic in LATCHED else {}
    return writer.register_channel(topic, "cdr", schema, latched)


def _in_time_order(schemas: Schemas, record: RunRecord) -> Iterator[Message]:
    rare = sorted(
        [*_costs(schemas, record), *_events(schemas, record)], key=lambda m: m[0]
    )
    links = {side: _link_rows(series) for side, series in record.links.items()}
    scene = LoggedScene(schemas, record)
    yield from scene.start()
    for k, time_s in enumerate(record.time_s):
        while rare and rare[0][0] <= time_s:
            yield rare.pop(0)
        yield from _motion(schemas, record, k)
        yield from _ground(schemas, record, k)
        for side, rows in links.items():
            kind = f"{FLAT}LinkEstimate"
            row, frame = rows[k], record.links[side].link
            message = schemas.flat(kind, time_s, LINK_FIELDS, row, frame)
            yield time_s, f"/links/{side}", kind, message
        yield from _payloads(schemas, record, k)
        if k % SCENE_EVERY == 0:
            yield from scene.at(k)
        yield from _numbers(schemas, record, k)
    yield from rare


def _payloads(schemas: Schemas, record: RunRecord, k: int) -> Iterator[Message]:
    """The estimator's reports about loads, and its supervisor's about itself."""
    time_s = float(record.time_s[k])
    kind = f"{FLAT}Payload"
    for side, link in record.links.items():
        if link.payload is None:
            continue
        message = schemas.new(
            kind,
            header=schemas.header(time_s, link.link),
            state=link.payload.state[k],
            **_payload_values(link.payload, k),
        )
        yield time_s, f"/payloads/{side}", kind, message
    if record.supervision is not None:
        kind, series = f"{FLAT}Supervision", record.supervision
        row = np.array([getattr(series, name)[k] for name in SUPERVISION_FIELDS])
        message = schemas.flat(kind, time_s, SUPERVISION_FIELDS, row)
        yield time_s, "/estimator", kind, message


def _motion(schemas: Schemas, record: RunRecord, k: int) -> Iterator[Message]:
    time_s = float(record.time_s[k])
    kind = "sensor_msgs/msg/JointState"
    states = schemas.new(
        kind,
        header=schemas.header(time_s, ""),
        name=list(record.joint_names),
        position=np.ascontiguousarray(record.q[k, 7:]),
        velocity=np.ascontiguousarray(record.v[k, BASE:]),
        effort=np.ascontiguousarray(record.tau_Nm[k]),
    )
    yield time_s, "/joint_states", kind, states
    reference = schemas.new(
        kind,
        header=schemas.header(time_s, ""),
        name=list(_upper_names(record)),
        position=np.ascontiguousarray(record.q_upper_ref[k]),
        velocity=np.zeros(0),
        effort=np.zeros(0),
    )
    yield time_s, "/upper_body_reference", kind, reference
    kind = "nav_msgs/msg/Odometry"
    yield time_s, "/base/odometry", kind, _odometry(schemas, record, k)


def _odometry(schemas: Schemas, record: RunRecord, k: int) -> Any:
    """Base pose in the world, twist in the base frame; covariances unknown (zero)."""
    q, v = record.q[k], record.v[k]
    orientation = dict(zip("xyzw", map(float, q[3:7]), strict=True))
    pose = schemas.new(
        "geometry_msgs/msg/Pose",
        position=schemas.vector(q[:3], "Point"),
        orientation=schemas.new("geometry_msgs/msg/Quaternion", **orientation),
    )
    twist = schemas.new(
        "geometry_msgs/msg/Twist",
        linear=schemas.vector(v[:3]),
        angular=schemas.vector(v[3:6]),
    )
    unknown = np.zeros(36)
    return schemas.new(
        "nav_msgs/msg/Odometry",
        header=schemas.header(float(record.time_s[k]), WORLD),
        child_frame_id="base",
        pose=schemas.new(
            "geometry_msgs/msg/PoseWithCovariance", pose=pose, covariance=unknown
        ),
        twist=schemas.new(
            "geometry_msgs/msg/TwistWithCovariance", twist=twist, covariance=unknown
        ),
    )


def _ground(schemas: Schemas, record: RunRecord, k: int) -> Iterator[Message]:
    time_s = float(record.time_s[k])
    kind = "geometry_msgs/msg/WrenchStamped"
    sources = {"wrench": record.wrench_true} if record.has_truth else {}
    if record.settings.has_estimator:
        sources["wrench_estimated"] = record.wrench_estimated
    for name, wrenches in sources.items():
        for foot, side in enumerate(SIDES):
            wrench = schemas.new(
                "geometry_msgs/msg/Wrench",
                force=schemas.vector(wrenches[k, foot, :3]),
                torque=schemas.vector(wrenches[k, foot, 3:]),
            )
            header = schemas.header(time_s, sole_frame(side))
            message = schemas.new(kind, header=header, wrench=wrench)
            yield time_s, f"/feet/{side}/{name}", kind, message


def _numbers(schemas: Schemas, record: RunRecord, k: int) -> Iterator[Message]:
    time_s = float(record.time_s[k])
    kind = f"{FLAT}Tip"
    for side, tip in record.tips.items():
        row = np.concatenate([tip.world_m[k], tip.torso_m[k], tip.reference_torso_m[k]])
        message = schemas.flat(kind, time_s, TIP_FIELDS, row)
        yield time_s, f"/tips/{side}", kind, message
    kind = f"{FLAT}Body"
    body = (record.com_m[k], record.com_ref_m[k], record.pelvis_m[k])
    row = np.concatenate([*body, record.payload_kg[k], record.plan_cost[k : k + 1]])
    yield time_s, "/body", kind, schemas.flat(kind, time_s, BODY_FIELDS, row)
    kind = f"{FLAT}Timing"
    times = np.array([_at(record.timing_ms[s], k) for s in schemas.timing.values()])
    names = [f"{name}_ms" for name in schemas.timing]
    yield time_s, "/timing", kind, schemas.flat(kind, time_s, names, times)
    kind = f"{FLAT}Status"
    header = schemas.header(time_s, WORLD)
    status = schemas.new(
        kind, header=header, solve=record.status[k], mode=record.mode[k]
    )
    yield time_s, "/status", kind, status


def _costs(schemas: Schemas, record: RunRecord) -> Iterator[Message]:
    kind, names = f"{FLAT}Cost", list(schemas.cost)
    for k, time_s in enumerate(map(float, record.cost_time_s)):
        row = np.array([record.cost_by_term[term][k] for term in schemas.cost.values()])
        yield time_s, "/cost", kind, schemas.flat(kind, time_s, names, row)


def _events(schemas: Schemas, record: RunRecord) -> Iterator[Message]:
    kind = "rcl_interfaces/msg/Log"
    for time_s, sentence in record.events:
        message = schemas.new(
            kind,
            stamp=schemas.header(time_s, "").stamp,
            level=20,
            name="wbmpc",
            msg=sentence,
            file="",
            function="",
            line=0,
        )
        yield time_s, "/rosout", kind, message


def _link_rows(series: LinkSeries) -> Array:
    """One row per tick, in the order of `LINK_FIELDS`."""
    return np.column_stack(
        [
            series.estimate[:, 0],
            series.truth[:, 0],
            series.published[:, 0],
            series.sigma_mass_kg,
            com_m(series.estimate),
            com_m(series.truth),
            series.theta,
        ]
    )


def _payload_values(payload: PayloadSeries, k: int) -> dict[str, Any]:
    """One tick; a list is empty where nothing is known."""
    loaded = payload.mass_kg[k] > 0.0 and np.isfinite(payload.com_m[k]).all()
    nothing = np.zeros(0)
    values: dict[str, Any] = {
        "mass_kg": float(payload.mass_kg[k]),
        "sigma_mass_kg": _known(payload.sigma_mass_kg[k : k + 1]),
        "smallest_kg": _known(payload.smallest_kg[k : k + 1]),
        "com_m": np.array(payload.com_m[k]) if loaded else nothing,
        "sigma_com_m": _known(payload.sigma_com_m[k]) if loaded else nothing,
    }
    shares = zip(CHANNELS, payload.observability[k], strict=True)
    return values | {f"observability_{name}": float(share) for name, share in shares}


def _known(values: Array) -> Array:
    """The values, or none of them if one is no number, or stands for not knowing."""
    known = np.isfinite(values).all() and (np.abs(values) < UNKNOWN).all()
    return np.array(values) if known else np.zeros(0)


def _at(values: Array, k: int) -> float:
    """A stage that is not timed at every tick has fewer values."""
    return float(values[k]) if k < len(values) else float("nan")


def _upper_names(record: RunRecord) -> tuple[str, ...]:
    groups = _robot_settings(record).groups
    return (*groups.spine, *groups.left_arm, *groups.right_arm)


def _robot_settings(record: RunRecord) -> Any:
    return load_settings(record.settings.robot, record.settings.overrides)


def _metadata(record: RunRecord) -> dict[str, str]:
    """Everything a number in the log depends on, as text."""
    robot = _robot_settings(record)
    limits = dict(zip(record.joint_names, record.torque_limit_Nm.tolist(), strict=True))
    values: dict[str, Any] = {
        "run": record.settings,
        "robot": robot,
        "versions": installed_versions(),
        "torque_limits_Nm": limits,
        "faults": record.faults,
    }
    return {
        **{k: msgspec.json.encode(value).decode() for k, value in values.items()},
        "robot_name": record.robot,
        "seed": str(record.settings.seed),
        "urdf_sha256": hashlib.sha256(Path(robot.urdf).read_bytes()).hexdigest(),
        "fell": str(record.fell).lower(),
        "wall_s": repr(record.wall_s),
        "started_utc": _started_utc(record.wall_s),
        **_pace(record.time_s),
    }


def _started_utc(wall_s: float) -> str:
    """When the run began, if it has just ended."""
    began = datetime.now(UTC) - timedelta(seconds=wall_s)
    return began.isoformat(timespec="milliseconds")


def _pace(time_s: Array) -> dict[str, str]:
    """Mean rate of the recorded ticks and the largest gap between two."""
    steps_s = np.diff(time_s)
    if not len(steps_s):
        return {}
    return {
        "mean_rate_hz": f"{1.0 / float(np.mean(steps_s)):.6g}",
        "largest_gap_s": f"{float(np.max(steps_s)):.6g}",
    }
