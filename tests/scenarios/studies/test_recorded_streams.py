"""Recorded logs: CSV, Parquet and MCAP, and what is wrong with them."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sample_records import make_record

from models.errors import ModelsError, SettingsError, UnknownNameError
from scenarios.errors import ScenarioError
from scenarios.records.mcap_log import write_log
from scenarios.studies.estimators.streams.columns import ColumnMapping, load_mapping
from scenarios.studies.estimators.streams.recorded import read_stream
from scenarios.studies.estimators.streams.robots import panda
from scenarios.studies.estimators.streams.stream import Stream
from scenarios.studies.estimators.streams.synthetic_arm import (
    ArmStreamSettings,
    synthetic_arm,
)
from scenarios.studies.estimators.streams.tables import read_table
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def stream() -> Stream:
    return synthetic_arm(panda(), ArmStreamSettings(duration_s=0.5))


def _columns(stream: Stream) -> dict[str, np.ndarray]:
    log = stream.log
    table = {"t": log.time_s}
    for prefix, values in (("q", log.q), ("qd", log.v), ("tau", log.tau)):
        table |= {f"{prefix}_{i}": column for i, column in enumerate(values.T)}
    return table


def _write_csv(path: Path, table: dict[str, np.ndarray]) -> Path:
    rows = zip(*table.values(), strict=True)
    lines = [",".join(table), *(",".join(map(repr, map(float, row))) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_csv_with_the_default_names(tmp_path: Path, stream: Stream) -> None:
    path = _write_csv(tmp_path / "log.csv", _columns(stream))
    read = read_stream(path, robot="panda")
    for name in ("time_s", "q", "v", "tau"):
        np.testing.assert_array_equal(
            getattr(read.log, name), getattr(stream.log, name)
        )
    assert read.truth_kg is None and read.at_s is None


def test_csv_with_a_mapping(tmp_path: Path, stream: Stream) -> None:
    table = _columns(stream)
    renamed = {"stamp_ns": 1e9 * table["t"], "load": np.linspace(0.0, 1.0, 25)}
    renamed |= {f"pos{i}": table[f"q_{i}"] for i in range(7)}
    renamed |= {f"vel{i}": table[f"qd_{i}"] for i in range(9)}
    renamed |= {f"torque{i}": table[f"tau_{i}"] for i in range(9)}
    path = _write_csv(tmp_path / "log.csv", renamed)
    mapping = tmp_path / "columns.toml"
    mapping.write_text(
        'time = "stamp_ns"\ntime_scale = 1e-9\ntruth_kg = "load"\n'
        f"q = {[f'pos{i}' for i in range(7)] + ['=0.02', '=0.02']}\n"
        'v = "vel{i}"\ntau = "torque{i}"\n'
    )
    read = read_stream(path, robot="panda", columns=load_mapping(mapping))
    np.testing.assert_allclose(read.log.time_s, stream.log.time_s)
    np.testing.assert_array_equal(read.log.q[:, :7], stream.log.q[:, :7])
    assert (read.log.q[:, 7:] == 0.02).all()
    assert read.truth_kg is not None and read.at_s == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("q = ", "not a TOML file"),
        ("positions = 'q'", "positions"),
        ("time_scale = 'fast'", "time_scale"),
    ],
)
def test_bad_mappings(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "columns.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=told):
        load_mapping(path)
    with pytest.raises(SettingsError, match=r"none\.toml"):
        load_mapping(tmp_path / "none.toml")


def test_words_in_a_csv_are_not_a_number(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("t,q_0\n0.0,1.5\n0.1,\n0.2,broken\n")
    table = read_table(path).columns
    assert table["q_0"][0] == 1.5 and np.isnan(table["q_0"][1:]).all()


@pytest.mark.parametrize(
    ("name", "content", "error", "told"),
    [
        ("log.csv", "t,q_0\n1.0\n", ScenarioError, "as many cells"),
        ("log.csv", "", ScenarioError, "is empty"),
        ("log.csv", "t,q_0\n", ScenarioError, "no samples"),
        ("log.csv", "t,q_0\n0,1\n", UnknownNameError, "unknown column"),
        ("log.bag", "x", UnknownNameError, "log format"),
        ("log.mcap", "not mcap", ScenarioError, "not a readable MCAP"),
    ],
)
def test_broken_logs(
    tmp_path: Path, name: str, content: str, error: type[ModelsError], told: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(error, match=told):
        read_stream(path, robot="panda")


def test_log_that_is_not_there_or_names_no_robot(
    tmp_path: Path, stream: Stream
) -> None:
    with pytest.raises(ScenarioError, match="no such file"):
        read_stream(tmp_path / "none.csv", robot="panda")
    path = _write_csv(tmp_path / "log.csv", _columns(stream))
    with pytest.raises(ScenarioError, match="give --robot"):
        read_stream(path)
    short = ColumnMapping(q=("q_0",))
    with pytest.raises(ScenarioError, match="1 names, the robot needs 9"):
        read_stream(path, robot="panda", columns=short)


def test_parquet_without_pyarrow_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    path = tmp_path / "log.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(ScenarioError, match="pip install pyarrow"):
        read_table(path)


def test_parquet(tmp_path: Path, stream: Stream) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "log.parquet"
    parquet.write_table(pyarrow.table(_columns(stream)), path)
    read = read_stream(path, robot="panda")
    np.testing.assert_array_equal(read.log.tau, stream.log.tau)
    path.write_bytes(b"no parquet")
    with pytest.raises(ScenarioError, match="not a usable Parquet"):
        read_table(path)


@pytest.mark.parametrize("arm", ["left", "right"])
def test_our_own_logs_name_robot_arm_and_truth(tmp_path: Path, arm: str) -> None:
    robot = Robot.load("alexander")
    record = make_record(robot, duration_s=4.0, at_s=3.0, arm=arm)
    write_log(tmp_path / "log.mcap", record)
    read = read_stream(tmp_path)  # the folder of a run
    assert read.robot.name == "alexander"
    assert read.robot.link == robot.arms[arm].tip_frame
    assert read.truth_kg is not None
    assert read.truth_kg[0] == 0.0 and read.truth_kg[-1] == 5.0
    assert read.at_s == pytest.approx(3.0)
    log = read.log
    assert log.a is not None and log.wrenches is not None
    assert log.wrenches.shape == (len(record.time_s) - 1, 2, 6)
    np.testing.assert_allclose(log.q[-1], record.q[-1], atol=1e-6)


@pytest.mark.parametrize("compensated", [True, False])
def test_friction_of_a_run_that_knew_it_is_taken_off(
    tmp_path: Path, compensated: bool
) -> None:
    robot = Robot.load("alexander")
    record = make_record(
        robot,
        duration_s=4.0,
        plant="hardware_twin",
        friction_compensation=compensated,
    )
    write_log(tmp_path / "log.mcap", record)
    read, asked = read_stream(tmp_path), read_stream(tmp_path, friction=True)
    assert (read.robot.friction is not None) == compensated
    assert np.array_equal(read.log.tau, asked.log.tau) == compensated
    assert asked.robot.friction is not None
    if not compensated:
        taken = asked.robot.friction.torque_Nm(read.log.v[:, 6:])
        np.testing.assert_allclose(read.log.tau - asked.log.tau, taken, atol=1e-9)


def test_loads_of_a_humanoid_hang_at_its_tips(tmp_path: Path) -> None:
    robot = Robot.load("alexander")
    write_log(tmp_path / "log.mcap", make_record(robot, duration_s=4.0, arm="right"))
    held_at = read_stream(tmp_path).robot.attachments_m
    assert held_at is not None
    tips = [robot.arms[side].tip_frame for side in ("right", "left")]
    for place, tip in zip(held_at, tips, strict=True):
        frame = robot.model.frames[robot.frame_id(tip)]
        np.testing.assert_allclose(place, frame.placement.translation)


def test_friction_that_nobody_stated_is_refused(tmp_path: Path, stream: Stream) -> None:
    path = _write_csv(tmp_path / "log.csv", _columns(stream))
    with pytest.raises(ScenarioError, match="--friction"):
        read_stream(path, robot="panda", friction=True)
