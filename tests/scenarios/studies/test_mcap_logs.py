"""MCAP files and bags of other people's robots."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from recordings import part, states, write_bag, write_mcap

from models.errors import UnknownNameError
from scenarios.errors import ScenarioError
from scenarios.studies.estimators.streams.columns import ColumnMapping
from scenarios.studies.estimators.streams.recorded import read_stream
from scenarios.studies.estimators.streams.robots import panda
from scenarios.studies.estimators.streams.stream import Stream
from scenarios.studies.estimators.streams.synthetic_arm import (
    ArmStreamSettings,
    synthetic_arm,
)


@pytest.fixture(scope="module")
def stream() -> Stream:
    return synthetic_arm(panda(), ArmStreamSettings(duration_s=1.0))


def same(read: Stream, stream: Stream) -> None:
    np.testing.assert_allclose(
        read.log.time_s, stream.log.time_s - stream.log.time_s[0], atol=1e-6
    )
    for name in ("q", "v", "tau"):
        np.testing.assert_array_equal(
            getattr(read.log, name), getattr(stream.log, name)
        )


def test_joint_states_are_found_by_their_joints(tmp_path: Path, stream: Stream) -> None:
    path = write_mcap(tmp_path / "log.mcap", states(stream, topic="/arm/states"))
    same(read_stream(path, robot="panda"), stream)


def test_joint_states_in_parts_become_whole_rows(
    tmp_path: Path, stream: Stream
) -> None:
    whole = states(stream)
    first = [part(message, slice(0, 7)) for message in whole]
    second = [part(message, slice(7, None), late_s=0.004) for message in whole]
    parts = [said for pair in zip(first, second, strict=True) for said in pair]
    read = read_stream(write_mcap(tmp_path / "log.mcap", parts), robot="panda")
    same(read, stream)
    assert read.samples is not None and read.samples.used == len(whole)


def test_a_part_that_falls_silent_is_not_held_for_ever(
    tmp_path: Path, stream: Stream
) -> None:
    whole = states(stream)
    parts = [part(message, slice(0, 7)) for message in whole]
    parts += [part(message, slice(7, None), 0.001) for message in whole[:25]]
    read = read_stream(write_mcap(tmp_path / "log.mcap", parts), robot="panda")
    assert read.samples is not None
    assert 25 <= read.samples.used <= 31
    assert not read.samples.enough
    assert set(read.samples.refused) == {"position is no number"}


def test_another_topic_that_comes_first_sets_no_times(
    tmp_path: Path, stream: Stream
) -> None:
    gripper = [
        replace(part(said, slice(7, 8)), topic="/gripper/joint_states")
        for said in states(stream)[::25]
    ]
    path = write_mcap(tmp_path / "log.mcap", [*gripper, *states(stream)])
    same(read_stream(path, robot="panda"), stream)


def test_two_topics_with_all_joints_need_a_choice(
    tmp_path: Path, stream: Stream
) -> None:
    messages = [*states(stream), *states(stream, topic="/other")]
    path = write_mcap(tmp_path / "log.mcap", messages)
    with pytest.raises(ScenarioError, match=r"2 topics .* --columns"):
        read_stream(path, robot="panda")


def test_stamps_in_the_headers_go_before_times_of_arrival(
    tmp_path: Path, stream: Stream
) -> None:
    bunched = [
        replace(said, received_s=0.1 * (k // 10) + 1e-4 * (k % 10))
        for k, said in enumerate(states(stream))
    ]
    path = write_mcap(tmp_path / "log.mcap", bunched)
    read = read_stream(path, robot="panda")
    same(read, stream)
    assert "headers" in read.remarks[0]
    joints = list(stream.robot.model.names)[1:]
    names = {
        kind: tuple(f"/joint_states.{field}[{joint}]" for joint in joints)
        for kind, field in (("q", "position"), ("v", "velocity"), ("tau", "effort"))
    }
    received = ColumnMapping(clock="received", **names)
    with pytest.raises(ScenarioError, match="velocities are"):
        read_stream(path, robot="panda", columns=received)


def test_without_stamps_the_times_of_arrival_are_used(
    tmp_path: Path, stream: Stream
) -> None:
    path = write_mcap(tmp_path / "log.mcap", states(stream, stamped=False))
    read = read_stream(path, robot="panda")
    same(read, stream)
    assert "received" in read.remarks[0]


def test_a_type_nobody_knows_does_not_matter(tmp_path: Path, stream: Stream) -> None:
    path = write_mcap(tmp_path / "log.mcap", states(stream), foreign="/diag")
    same(read_stream(path, robot="panda"), stream)


def test_a_broken_message_costs_that_message(tmp_path: Path, stream: Stream) -> None:
    path = write_mcap(tmp_path / "log.mcap", states(stream), broken_at=20)
    read = read_stream(path, robot="panda")
    assert read.samples is not None
    assert read.samples.total == len(stream.log) == read.samples.used + 1
    assert read.samples.refused == {"broken message on /joint_states": 1}


def test_a_cut_file_is_read_to_where_it_ends(tmp_path: Path, stream: Stream) -> None:
    path = write_mcap(tmp_path / "log.mcap", states(stream), chunk_bytes=2000)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    read = read_stream(path, robot="panda")
    assert read.samples is not None
    assert read.samples.refused == {"end of the file missing": 1}
    assert 5 < read.samples.used < len(stream.log)


def test_the_folder_of_a_bag(tmp_path: Path, stream: Stream) -> None:
    same(
        read_stream(write_bag(tmp_path / "bag", states(stream)), robot="panda"), stream
    )
    with pytest.raises(ScenarioError, match=r"metadata\.yaml"):
        read_stream(tmp_path, robot="panda")


def test_columns_that_are_not_there_are_named(tmp_path: Path, stream: Stream) -> None:
    path = write_mcap(tmp_path / "log.mcap", states(stream))
    for name in ("/other.position[a]", "/joint_states.position[elbow]"):
        mapping = ColumnMapping(q=(name,) * 9, v=(name,) * 9, tau=(name,) * 9)
        with pytest.raises(UnknownNameError) as error:
            read_stream(path, robot="panda", columns=mapping)
        assert name in str(error.value)
