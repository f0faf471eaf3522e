"""Runs against the wall clock: two processes, deadlines, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from ekf.signals.aligner import AlignedSample
from scenarios.cli import main
from scenarios.exit_codes import EXIT_BAD_END, EXIT_INTERRUPTED
from scenarios.report.metrics.run import measure
from scenarios.report.tables import run_table
from scenarios.run.plant_side import PlantState, TickTruth
from scenarios.run.realtime import (
    PlantLink,
    RealTimeRun,
    run_realtime,
    ticks_to_count,
)
from scenarios.run.runner import run
from scenarios.run.settings import RunSettings
from scenarios.run.snapshot import PlanCodec, Snapshot, SnapshotCodec
from wbmpc.control.low_level import JointCommand, LowLevelMode
from wbmpc.control.mpc import WholeBodyMpc
from wbmpc.control.plan import Plan
from wbmpc.errors import RealTimeError, UnknownNameError
from wbmpc.plant.interface import Measurement
from wbmpc.realtime import MAX_MISSES_IN_A_ROW, DeadlineMonitor, now_ns
from wbmpc.robot import Robot
from wbmpc.state_estimation import BaseEstimate

ROOT = Path(__file__).resolve().parents[3]
SLOW_TICK = "mpc.tick_dt_s=0.05"
"""So that a loaded machine keeps its deadlines, too."""
SHORT = RunSettings(
    duration_s=1.0, at_s=0.3, payload_kg=2.0, realtime=True, overrides=(SLOW_TICK,)
)


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def measurement(robot: Robot, rng: np.random.Generator) -> Measurement:
    model, n = robot.full_model, len(robot.joint_names)
    return Measurement(
        time_s=float(rng.random()),
        q=rng.random(model.nq),
        v=rng.random(model.nv),
        tau_Nm=rng.random(n),
    )


def make_snapshot(
    robot: Robot, *, estimated: bool, aligned: bool, simulated: bool
) -> Snapshot:
    rng = np.random.default_rng(0)
    seen, nv = measurement(robot, rng), robot.model.nv
    base = BaseEstimate(
        position_m=seen.q[:3],
        quaternion_xyzw=seen.q[3:7],
        twist=seen.v[:6],
        contacts=np.array([True, False]),
    )
    sample = AlignedSample(
        time_s=0.5,
        q=rng.random(robot.model.nq),
        v=rng.random(nv),
        a=rng.random(nv),
        tau=rng.random(nv - 6),
    )
    n = len(robot.joint_names)
    return Snapshot(
        state=PlantState(
            seen=seen,
            truth=measurement(robot, rng) if simulated else None,
            base=base if estimated else None,
        ),
        command=JointCommand(
            tau_Nm=rng.random(n),
            saturated=rng.random(n) > 0.5,
            mode=LowLevelMode.HOLD,
            replaced=(0, n - 1) if aligned else (),
        ),
        sample=sample if aligned else None,
        truth=TickTruth(wrenches=rng.random((2, 6)), loads_kg=rng.random(2))
        if simulated
        else None,
        steps_ms=1.5,
        estimation_ms=0.25,
        ended=True,
    )


def assert_equal_fields(a: object, b: object) -> None:
    """Dataclasses, arrays and numbers, field by field."""
    if hasattr(a, "__dataclass_fields__"):
        assert type(a) is type(b)
        for name in a.__dataclass_fields__:
            assert_equal_fields(getattr(a, name), getattr(b, name))
    else:
        np.testing.assert_equal(a, b)


@pytest.mark.parametrize("estimated", [False, True])
@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("simulated", [False, True])
def test_a_snapshot_survives_the_way(
    robot: Robot, estimated: bool, aligned: bool, simulated: bool
) -> None:
    snapshot = make_snapshot(
        robot, estimated=estimated, aligned=aligned, simulated=simulated
    )
    codec = SnapshotCodec(robot)
    assert_equal_fields(codec.decode(codec.encode(snapshot)), snapshot)


@pytest.mark.parametrize("gain", [False, True])
def test_a_plan_survives_the_way(gain: bool) -> None:
    overrides = (f"mpc.realtime_iteration={str(gain).lower()}",)
    robot = Robot.load("alexander", overrides)
    rng = np.random.default_rng(1)
    plan = Plan(
        time_s=0.25,
        node_dt_s=0.02,
        q=rng.random((31, 28)),
        v=rng.random((31, 27)),
        tau_Nm=rng.random((30, 21)),
        cost=3.0,
        gain=rng.random((21, 54)) if gain else None,
    )
    codec = PlanCodec(robot)
    assert_equal_fields(codec.decode(codec.encode(plan)), plan)


def test_lock_step_runs_are_bit_identical() -> None:
    settings = RunSettings(duration_s=0.3, at_s=0.1)
    first, second = run(settings), run(settings)
    for name in ("q", "v", "tau_Nm", "plan_cost", "wrench_true", "wrench_estimated"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    left = [record.links["left"].estimate for record in (first, second)]
    np.testing.assert_array_equal(*left)
    assert first.deadlines is None


def test_a_run_in_real_time_has_the_record_of_a_lock_step_run(robot: Robot) -> None:
    record = run(SHORT)
    assert not record.fell, record.events
    kept = record.deadlines
    assert kept is not None
    assert kept.steps_total == 1000
    assert kept.control_total == pytest.approx(20, abs=1)
    assert 0.9 < record.wall_s < 10.0
    sentences = [sentence for _, sentence in record.events]
    assert sentences[0] == "2 kg on the left forearm"
    assert all("attach on LEFT" in sentence for sentence in sentences[1:])
    # Ticks are where the clock put them; one that was missed has no row.
    assert len(record.time_s) >= 10
    np.testing.assert_allclose(record.time_s % 0.05, 0.0, atol=1e-3)
    assert set(record.payload_kg[record.time_s > 0.31, 0]) == {2.0}
    lock_step = run(RunSettings(duration_s=1.0, at_s=0.3, payload_kg=2.0))
    assert set(record.timing_ms) - {"wake_up_late"} == set(lock_step.timing_ms)
    metrics = measure(record, robot)
    assert metrics.deadlines is not None
    assert "deadlines missed" in run_table(metrics)
    # The same motion: a tick of 50 ms and real delays, which depend on what else the
    # machine does, move the tips by millimetres; another motion, by decimetres.
    ticks = np.searchsorted(lock_step.time_s, record.time_s - 1e-6)
    tips = lock_step.tips["right"].world_m[ticks] - record.tips["right"].world_m
    assert np.abs(tips).max() < 0.05


def test_a_solver_that_is_too_slow_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """70 ms a solve at 100 Hz: old plan, damped hold, and then the end."""
    solve = WholeBodyMpc.solve

    def slowly(self: WholeBodyMpc, *args: object) -> object:
        result = solve(self, *args)  # type: ignore[arg-type]
        time.sleep(0.07)
        return result

    monkeypatch.setattr(WholeBodyMpc, "solve", slowly)
    record = run(RunSettings(duration_s=5.0, at_s=4.0, realtime=True))
    assert record.fell
    assert "deadlines missed in a row" in record.events[-1][1]
    assert record.time_s[-1] < 2.0
    assert record.faults["damped_hold_steps"] > 0
    assert record.deadlines is not None
    assert record.deadlines.control_longest_row >= MAX_MISSES_IN_A_ROW


def test_a_tick_that_outlasts_the_run_is_no_fall(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """19 deadlines count, those after the end do not exist."""
    solve, late = WholeBodyMpc.solve, []

    def slowly(self: WholeBodyMpc, *args: object) -> object:
        result = solve(self, *args)  # type: ignore[arg-type]
        if not late:
            late.append(True)
            time.sleep(1.5)
        return result

    monkeypatch.setattr(WholeBodyMpc, "solve", slowly)
    settings = msgspec.structs.replace(SHORT, payload_kg=0.0)
    record = run_realtime(settings, privileged=False)
    assert not record.fell, record.events
    assert not [said for _, said in record.events if "control stopped" in said]
    assert record.deadlines is not None
    assert record.deadlines.control_missed == MAX_MISSES_IN_A_ROW - 1
    assert record.time_s[-1] < 1.0


class LateClock:
    """A clock whose cycle overruns by a number of deadlines."""

    def __init__(self, index: int, missed: int) -> None:
        self.index, self._missed = index, missed

    def end_cycle(self) -> int:
        self.index += max(self._missed - 1, 0)
        return self._missed


@pytest.mark.parametrize(
    ("index", "missed", "counted", "kept"),
    [
        (0, 0, 0, 1),
        (0, 25, 25, 0),
        (190, 25, 8, 0),
        (196, 3, 2, 0),
        (197, 30, 1, 0),
        (198, 1, 0, 0),
        (199, 30, 0, 0),
        (199, 0, 0, 1),
        (240, 5, 0, 0),
    ],
)
def test_a_deadline_at_the_very_end_does_not_count(
    index: int, missed: int, counted: int, kept: int
) -> None:
    """2 s at 100 Hz: the last deadline that counts is that of 1.98 s."""
    control = object.__new__(RealTimeRun)
    control._monitor = DeadlineMonitor()
    control._ticks_to_count = ticks_to_count(2.0, 0.01)
    control._end_cycle(LateClock(index, missed))  # type: ignore[arg-type]
    assert control._monitor.missed == control._monitor.in_a_row == counted
    assert control._monitor.kept == kept


@pytest.mark.parametrize(
    ("duration_s", "tick_s", "ticks"),
    [(2.0, 0.01, 198), (1.0, 0.05, 19), (0.1, 0.01, 8), (0.1, 0.2, 0)],
)
def test_ticks_that_count(duration_s: float, tick_s: float, ticks: int) -> None:
    assert ticks_to_count(duration_s, tick_s) == ticks


class OneSlot:
    """A slot that somebody else has filled."""

    def __init__(self, number: int, value: np.ndarray) -> None:
        self.number, self._value = number, value

    def read(self) -> tuple[int, np.ndarray]:
        return self.number, self._value


@pytest.mark.parametrize("asked", [20, 21, 500])
def test_the_last_snapshot_answers_for_ticks_after_the_end(
    robot: Robot, asked: int
) -> None:
    """At once: the plant's process need not be gone, and the deadline is far."""
    last = make_snapshot(robot, estimated=False, aligned=False, simulated=True)
    link = object.__new__(PlantLink)
    link._snapshots = SnapshotCodec(robot)
    slot = OneSlot(21, link._snapshots.encode(last))
    link._links = SimpleNamespace(snapshots=slot)  # type: ignore[assignment]
    started = time.monotonic()
    found = link.snapshot(asked, now_ns() + 5_000_000_000)
    assert found is not None and found.ended
    assert time.monotonic() - started < 1.0


def test_a_plant_that_dies_ends_the_run_with_a_sentence() -> None:
    def kill_children(time_s: float) -> None:
        if time_s > 0.2:
            for pid in children(os.getpid()):
                os.kill(pid, signal.SIGKILL)

    with pytest.raises(RealTimeError, match=r"died \(exit code -9\)"):
        run_realtime(SHORT, on_tick=kill_children, privileged=False)
    assert children(os.getpid()) == []


def test_a_refusal_of_the_plant_arrives_here() -> None:
    settings = RunSettings(duration_s=1.0, at_s=0.5, realtime=True)
    # Only the plant's process looks at it.
    unknown = msgspec.structs.replace(settings, base_estimator="no_such_thing")
    with pytest.raises(UnknownNameError, match="no_such_thing"):
        run_realtime(unknown, privileged=False)


def test_the_flag_reaches_the_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[RunSettings] = []

    def refuse(settings: RunSettings, **_: object) -> None:
        asked.append(settings)
        raise RealTimeError("the plant's process did not answer")

    monkeypatch.setattr("scenarios.run.realtime.run_realtime", refuse)
    arguments = ["run", "standing", "--no-files", "--no-twin"]
    assert main([*arguments, "--realtime"]) == EXIT_BAD_END
    assert asked[0].realtime


def children(parent: int) -> list[int]:
    """Processes of a parent that run our plant."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
            command = (path.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[1]) == parent and b"spawn_main" in command:
            found.append(int(path.parent.name))
    return found


def start_command() -> subprocess.Popen[str]:
    arguments = ["run", "standing", "--realtime", "--payload", "0", "--no-files"]
    arguments += ["--duration", "60", "--set", SLOW_TICK]
    process = subprocess.Popen(
        [sys.executable, "-m", "scenarios", *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline_s = time.monotonic() + 60.0
    while time.monotonic() < deadline_s and not children(process.pid):
        time.sleep(0.1)
    return process


def wait_until_gone(pids: list[int], timeout_s: float = 20.0) -> list[int]:
    """Processes that are still there at the end of the time."""
    deadline_s = time.monotonic() + timeout_s
    left = pids
    while left and time.monotonic() < deadline_s:
        left = [pid for pid in left if Path(f"/proc/{pid}").exists()]
        time.sleep(0.05)
    return left


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_the_command_leaves_no_orphan(how: signal.Signals) -> None:
    process = start_command()
    plant = children(process.pid)
    assert plant
    time.sleep(2.0)
    process.send_signal(how)
    _, errors = process.communicate(timeout=30)
    assert wait_until_gone(plant) == []
    if how is signal.SIGINT:
        assert process.returncode == EXIT_INTERRUPTED
        assert "interrupted" in errors
        assert "Traceback" not in errors
