"""Recordings: written and read back, by others too, whole or broken."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from mcap.reader import make_reader
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from scenarios.library.catalogue import find_scenario
from teleop.errors import RecordingError
from teleop.recording import (
    ReferenceRecorder,
    read_recording,
    record_track,
    recorded_track,
    restamped,
    track_messages,
)
from teleop.reference_track import ReferenceTrack
from teleop.wire import TOPICS, ReferenceWire
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def track(robot: Robot) -> ReferenceTrack:
    return find_scenario("squat_pickup").motion(robot, 4.0)


def test_a_track_comes_back_bit_for_bit(
    robot: Robot, track: ReferenceTrack, tmp_path: Path
) -> None:
    path = tmp_path / "washing.mcap"
    assert record_track(path, robot, track) == len(track.q_upper)
    back = recorded_track(path, robot)
    for name in ("q_upper", "v_upper", "com_height_m", "pelvis_pitch_rad"):
        np.testing.assert_array_equal(getattr(back, name), getattr(track, name))
    for time_s in (0.0, 1.234, 3.99, 10.0):
        ours, theirs = back.at(time_s), track.at(time_s)
        np.testing.assert_array_equal(ours.q_upper, theirs.q_upper)
        np.testing.assert_array_equal(ours.com_m, theirs.com_m)


def test_samples_that_were_sent_a_little_late_keep_their_place(
    robot: Robot, track: ReferenceTrack, tmp_path: Path
) -> None:
    rng, path = np.random.default_rng(0), tmp_path / "late.mcap"
    with ReferenceRecorder(path, robot) as recorder:
        for k, message in enumerate(track_messages(track)):
            late_s = 0.004 * rng.random() if k else 0.0
            sent = msgspec.structs.replace(message, sent_s=50.0 + 0.02 * k + late_s)
            recorder.send(sent)
    np.testing.assert_array_equal(recorded_track(path, robot).q_upper, track.q_upper)


def test_hands_and_times_survive(
    robot: Robot, track: ReferenceTrack, tmp_path: Path
) -> None:
    path, hand = tmp_path / "hands.mcap", (0.1, 0.2, 0.3, 0.0, 0.0, 0.6, 0.8)
    first, second, *_ = track_messages(track)
    with ReferenceRecorder(path, robot) as recorder:
        recorder.send(msgspec.structs.replace(first, left_hand=hand))
        recorder.send(second)
    one, two = read_recording(path, robot)
    assert (one.message.left_hand, one.message.right_hand) == (hand, None)
    assert two.message.left_hand is None
    assert two.time_s == pytest.approx(0.02)


def test_other_programs_read_it(
    robot: Robot, track: ReferenceTrack, tmp_path: Path
) -> None:
    path = tmp_path / "open.mcap"
    count = record_track(path, robot, track)
    with path.open("rb") as stream:
        summary = make_reader(stream).get_summary()
    assert summary is not None and summary.statistics is not None
    topics = {c.topic: c.message_encoding for c in summary.channels.values()}
    assert topics == dict.fromkeys(TOPICS, "cdr")
    store = get_typestore(Stores.ROS2_JAZZY)
    with AnyReader([path], default_typestore=store) as reader:
        joints = [c for c in reader.connections if c.topic.endswith("upper_body")]
        messages = list(reader.messages(connections=joints))
        last = reader.deserialize(messages[-1][2], joints[0].msgtype)
    assert len(messages) == count
    np.testing.assert_array_equal(last.position, track.q_upper[-1])


@pytest.mark.parametrize("kept", [0.3, 0.6])
def test_a_file_without_its_end_still_opens(
    robot: Robot, track: ReferenceTrack, tmp_path: Path, kept: float
) -> None:
    path = tmp_path / "killed.mcap"
    count = record_track(path, robot, track)
    data = path.read_bytes()
    path.write_bytes(data[: int(kept * len(data))])
    found = read_recording(path, robot)
    assert 0.3 * kept * count < len(found) < count
    np.testing.assert_array_equal(
        found[-1].message.q_upper, track.q_upper[len(found) - 1]
    )


@pytest.mark.parametrize("content", [None, b"", b"not a recording", b"\x89MCAP0\r\n"])
def test_what_is_no_recording_is_refused_by_name(
    robot: Robot, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "odd.mcap"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RecordingError, match="odd.mcap"):
        read_recording(path, robot)


def test_another_robot_s_joints_are_refused(
    robot: Robot, track: ReferenceTrack, tmp_path: Path
) -> None:
    path = tmp_path / "other.mcap"
    recorder = ReferenceRecorder(path, robot)
    recorder._wire.names = [f"OTHER_{name}" for name in recorder._wire.names]
    for message in track_messages(track):
        recorder.send(message)
    recorder.close()
    with pytest.raises(RecordingError, match="SPINE_Z"):
        read_recording(path, robot)


def test_a_folder_that_is_not_there_is_an_error(robot: Robot, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="No such file"):
        ReferenceRecorder(tmp_path / "gone" / "x.mcap", robot)


def test_replayed_samples_are_a_stream_of_their_own(
    robot: Robot, track: ReferenceTrack, tmp_path: Path
) -> None:
    path = tmp_path / "again.mcap"
    record_track(path, robot, track)
    sent = list(restamped(read_recording(path, robot), stream=9, start_s=100.0))
    due = [time_s for time_s, _ in sent]
    np.testing.assert_allclose(np.diff(due), 0.02, atol=1e-9)
    assert due[0] == 100.0
    assert [m.seq for _, m in sent] == list(range(1, len(sent) + 1))
    assert {m.stream for _, m in sent} == {9}


def test_packets_in_any_state_are_counted_not_raised(
    robot: Robot, track: ReferenceTrack
) -> None:
    wire, other = ReferenceWire(robot), ReferenceWire(robot)
    first, second, *_ = track_messages(track)
    packets = other.packets(second)
    for packet in packets:
        wire.take(packet.topic, packet.data)
    for packet in other.packets(first):
        assert wire.take(packet.topic, packet.data) is None
    assert wire.refused["out_of_order"] == 1
    rng = np.random.default_rng(0)
    for _ in range(300):
        data = bytearray(packets[-1].data)
        data[rng.integers(4, len(data))] = rng.integers(256)
        wire.take(packets[-1].topic, bytes(data[: rng.integers(len(data))]))
    assert wire.refused["malformed"] > 100
    assert wire.take("/other", b"") is None and wire.refused["unknown_topic"] == 1
