"""A log read back by other means holds the same bits."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from mcap.reader import make_reader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from sample_records import make_record

from scenarios.records.frames import FrameTree
from scenarios.records.log_schemas import LINK_FIELDS, field_name
from scenarios.records.mcap_log import write_log
from scenarios.records.record import RunRecord
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def record() -> RunRecord:
    rng = np.random.default_rng(1)
    record = make_record(
        Robot.load("alexander"), duration_s=0.6, at_s=0.2, arrival_s=0.1
    )
    for values in (record.q, record.v, record.tau_Nm, record.wrench_true, record.com_m):
        values += rng.normal(size=values.shape)
    return record


@pytest.fixture(scope="module")
def path(record: RunRecord, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "log.mcap"
    write_log(path, record)
    return path


@pytest.fixture(scope="module")
def topics(path: Path) -> dict[str, list[Any]]:
    """Messages by topic, decoded with nothing but the schemas in the file."""
    store = get_typestore(Stores.EMPTY)
    topics = defaultdict(list)
    with path.open("rb") as stream:
        for schema, channel, message in make_reader(stream).iter_messages():
            assert schema is not None
            assert (schema.encoding, channel.message_encoding) == ("ros2msg", "cdr")
            if schema.name not in store.types:
                types = get_types_from_msg(schema.data.decode(), schema.name)
                store.register({k: v for k, v in types.items() if k not in store.types})
            decoded = store.deserialize_cdr(message.data, schema.name)
            topics[channel.topic].append((message.log_time, decoded))
    return topics


def test_payload_reports_and_the_supervisor_are_in_the_log(
    topics: dict[str, list[Any]], record: RunRecord
) -> None:
    payload = record.links["left"].payload
    assert payload is not None and record.supervision is not None
    messages = [message for _, message in topics["/payloads/left"]]
    assert tuple(m.state for m in messages) == payload.state
    assert np.array_equal([m.mass_kg for m in messages], payload.mass_kg)
    for message, mass, centre in zip(
        messages, payload.mass_kg, payload.com_m, strict=True
    ):
        known = [] if mass == 0.0 or np.isnan(centre).any() else centre
        assert np.array_equal(message.com_m, known)
    seen = [m.observability_t3 for m in messages]
    assert np.array_equal(seen, payload.observability[:, 9])
    ratios = [message.test_ratio for _, message in topics["/estimator"]]
    assert np.array_equal(ratios, record.supervision.test_ratio)
    assert len(topics["/payloads/right"]) == len(record.time_s)


def test_joint_states_are_bit_exact(
    topics: dict[str, list[Any]], record: RunRecord
) -> None:
    states = [message for _, message in topics["/joint_states"]]
    assert tuple(states[0].name) == record.joint_names
    assert np.array_equal([m.position for m in states], record.q[:, 7:])
    assert np.array_equal([m.velocity for m in states], record.v[:, 6:])
    assert np.array_equal([m.effort for m in states], record.tau_Nm)


def test_base_is_bit_exact(topics: dict[str, list[Any]], record: RunRecord) -> None:
    for k, (_, message) in enumerate(topics["/base/odometry"]):
        pose, twist = message.pose.pose, message.twist.twist
        parts = (pose.position, pose.orientation, twist.linear, twist.angular)
        values = [getattr(p, a) for p in parts for a in "xyzw" if hasattr(p, a)]
        assert np.array_equal(values, [*record.q[k, :7], *record.v[k, :6]])


def test_wrenches_are_bit_exact(
    topics: dict[str, list[Any]], record: RunRecord
) -> None:
    for foot, side in enumerate(("left", "right")):
        for topic, wrenches in (
            (f"/feet/{side}/wrench", record.wrench_true),
            (f"/feet/{side}/wrench_estimated", record.wrench_estimated),
        ):
            rows = [
                [getattr(part, a) for part in (w.force, w.torque) for a in "xyz"]
                for w in (message.wrench for _, message in topics[topic])
            ]
            assert np.array_equal(rows, wrenches[:, foot])


def test_estimate_has_one_named_float_a_channel(
    topics: dict[str, list[Any]], record: RunRecord
) -> None:
    messages = [message for _, message in topics["/links/left"]]
    series = record.links["left"]
    masses = [message.mass_kg for message in messages]
    assert np.array_equal(masses, series.estimate[:, 0])
    assert np.array_equal([m.t3 for m in messages], series.theta[:, 9])
    assert all(isinstance(getattr(messages[0], f), float) for f in LINK_FIELDS)


def test_stamps_are_simulation_time_and_monotonic(
    topics: dict[str, list[Any]], record: RunRecord
) -> None:
    for messages in topics.values():
        times = [log_time for log_time, _ in messages]
        assert times == sorted(times)
    stamps = [m.header.stamp for _, m in topics["/joint_states"]]
    seconds = [stamp.sec + 1e-9 * stamp.nanosec for stamp in stamps]
    assert np.allclose(seconds, record.time_s, atol=1e-9)


def test_events_and_status(topics: dict[str, list[Any]], record: RunRecord) -> None:
    assert [m.msg for _, m in topics["/rosout"]] == [s for _, s in record.events]
    assert {m.solve for _, m in topics["/status"]} == {"USABLE"}
    costs = [m.upper_body_tracking for _, m in topics["/cost"]]
    assert np.array_equal(costs, record.cost_by_term["upper_body_tracking"])


def test_metadata_says_what_the_numbers_depend_on(path: Path) -> None:
    with path.open("rb") as stream:
        metadata = {m.name: m.metadata for m in make_reader(stream).iter_metadata()}
    ours = metadata["wbmpc"]
    assert float(ours["mean_rate_hz"]) == pytest.approx(100.0)
    assert float(ours["largest_gap_s"]) == pytest.approx(0.01)
    assert json.loads(ours["run"])["scenario"] == "window_washing"
    assert len(ours["urdf_sha256"]) == 64
    assert json.loads(ours["versions"])["pin"]
    assert len(json.loads(ours["torque_limits_Nm"])) == 23
    assert ours["seed"] == "0"


def test_log_is_compressed_and_complete(path: Path) -> None:
    with path.open("rb") as stream:
        summary = make_reader(stream).get_summary()
    assert summary is not None
    assert {chunk.compression for chunk in summary.chunk_indexes} == {"zstd"}


@pytest.mark.parametrize(
    ("name", "field"),
    [("mpc", "mpc"), ("wrench/LEFT_SOLE", "wrench_left_sole"), ("1 kHz", "f_1_khz")],
)
def test_field_names_are_legal(name: str, field: str) -> None:
    assert field_name(name) == field


def test_every_frame_that_is_named_is_there(topics: dict[str, list[Any]]) -> None:
    """A viewer draws nothing of a message whose frame leads nowhere."""
    parents = {}
    for topic in ("/tf_static", "/tf"):
        for _, message in topics[topic]:
            for found in message.transforms:
                parents[found.child_frame_id] = found.header.frame_id
    for child in parents:
        seen = [child]
        while seen[-1] != "world":
            seen.append(parents[seen[-1]])
            assert len(seen) < 50
    named = {
        found.header.frame_id
        for topic, messages in topics.items()
        if topic.startswith(("/links", "/payloads", "/feet", "/tips", "/body"))
        for _, found in messages
    }
    named |= {mark.header.frame_id for _, m in topics["/loads"] for mark in m.markers}
    assert named <= {*parents, "world"}
    assert len(named) > 4


def test_the_robot_file_is_in_the_log(path: Path, topics: dict[str, list[Any]]) -> None:
    ((_, description),) = topics["/robot_description"]
    assert description.data.lstrip().startswith("<")
    with path.open("rb") as stream:
        summary = make_reader(stream).get_summary()
    assert summary is not None
    latched = {
        channel.topic
        for channel in summary.channels.values()
        if "durability: 1" in channel.metadata.get("offered_qos_profiles", "")
    }
    assert latched == {"/robot_description", "/tf_static"}


def test_frames_are_where_the_robot_is() -> None:
    robot = Robot.load("alexander")
    tree, q = FrameTree(robot), robot.home_q_full.copy()
    q[7:] += 0.1
    data = robot.full_model.createData()
    pin.framesForwardKinematics(robot.full_model, data, q)
    placed = {found.child: found for found in (*tree.fixed(), *tree.moving(q))}

    def in_world(name: str) -> pin.SE3:
        if name == "world":
            return pin.SE3.Identity()
        return in_world(placed[name].parent) * placed[name].placement

    for name in (arm.tip_frame for arm in robot.arms.values()):
        expected = data.oMf[robot.full_model.getFrameId(name)].homogeneous
        np.testing.assert_allclose(in_world(name).homogeneous, expected, atol=1e-9)


def test_nothing_stands_for_not_knowing(topics: dict[str, list[Any]]) -> None:
    for side in ("left", "right"):
        for _, message in topics[f"/payloads/{side}"]:
            for name in ("sigma_mass_kg", "smallest_kg", "com_m", "sigma_com_m"):
                values = getattr(message, name)
                assert np.isfinite(values).all() and (np.abs(values) < 1e3).all()
            if message.mass_kg == 0.0:
                assert len(message.com_m) == len(message.sigma_com_m) == 0
