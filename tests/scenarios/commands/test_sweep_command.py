"""`wbmpc sweep` and `wbmpc sweep-table` from outside, with real runs and real kills."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from scenarios.cli import main
from scenarios.exit_codes import EXIT_BAD_END, EXIT_BAD_INPUT, EXIT_OK

ROOT = Path(__file__).resolve().parents[3]
PLAN = (
    "standing --duration 0.2 --at 0.1 --payload 1,3 --arm left,right --seed 0:2 "
    "--plant hardware_twin --jobs 2"
).split()
RUNS = 8
PATIENCE_S = 180.0


def command(folder: Path, *more: str) -> list[str]:
    argv = [*PLAN, "--out", str(folder), *more]
    return [sys.executable, "-m", "scenarios", "sweep", *argv]


def start(folder: Path, *more: str, cwd: Path = ROOT) -> subprocess.Popen[str]:
    """The command in a process group of its own, as in a terminal."""
    return subprocess.Popen(
        command(folder, *more),
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, told = process.communicate(timeout=PATIENCE_S)
    return process.returncode, told


def rows_of(folder: Path) -> int:
    return len(list(folder.glob("rows/[!.]*.json")))


def wait_for_rows(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while rows_of(folder) < count:
        assert process.poll() is None and time.monotonic() < end_s
        time.sleep(0.02)


def table(folder: Path) -> list[dict[str, str]]:
    """The table without the columns of its making."""
    with (folder / "runs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [{k: v for k, v in r.items() if not k.startswith("made_")} for r in rows]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sweep") / "undisturbed"
    code, told = finished(start(folder))
    assert code == EXIT_OK, told
    assert "Traceback" not in told
    return folder


def test_one_row_per_run_with_every_setting(undisturbed: Path) -> None:
    header = (undisturbed / "runs.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith("run_id,status,reason,payload_kg,arm,seed,scenario,")
    rows = table(undisturbed)
    assert len(rows) == RUNS
    asked = {(r["payload_kg"], r["arm"], r["seed"]) for r in rows}
    assert len(asked) == RUNS and ("1.0", "right", "1") in asked
    assert {r["status"] for r in rows} == {"done"}
    assert {r["kernel"] for r in rows} != {""}
    assert (undisturbed / "index.html").is_file()


def test_a_second_call_runs_nothing_and_changes_nothing(
    undisturbed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (undisturbed / "runs.csv").read_bytes()
    assert main(["sweep", *PLAN, "--out", str(undisturbed), "--json"]) == EXIT_OK
    result = json.loads(capsys.readouterr().out)
    assert (result["runs"], result["made"], result["missing"]) == (RUNS, 0, 0)
    assert (undisturbed / "runs.csv").read_bytes() == before


def test_kills_of_workers_client_and_ctrl_c_leave_the_same_table(
    undisturbed: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "sweep"
    first = start(folder)
    wait_for_rows(folder, 1, first)
    workers = psutil.Process(first.pid).children(recursive=True)
    busiest = max(workers, key=lambda p: p.cpu_times().user)
    busiest.kill()
    wait_for_rows(folder, 2, first)
    workers = psutil.Process(first.pid).children(recursive=True)
    first.kill()
    finished(first)
    _, alive = psutil.wait_procs(workers, timeout=20.0)
    assert [p for p in alive if p.status() != psutil.STATUS_ZOMBIE] == []
    kept = rows_of(folder)
    assert 2 <= kept < RUNS and not list(folder.glob("rows/.*"))

    second = start(folder)
    wait_for_rows(folder, kept + 1, second)
    os.killpg(second.pid, signal.SIGINT)
    code, told = finished(second)
    assert code == 130 and "Traceback" not in told
    assert told.splitlines()[-1] == "wbmpc: interrupted: finished runs are kept"
    assert len(table(folder)) == rows_of(folder) >= kept + 1

    code, told = finished(start(folder))
    assert code == EXIT_OK, told
    assert table(folder) == table(undisturbed)
    argv = ["sweep-table", str(folder), "--same-as", str(undisturbed)]
    assert main(argv) == EXIT_OK


@pytest.mark.slow
def test_workers_elsewhere_joined_by_file_make_the_same_table(
    undisturbed: Path, tmp_path: Path
) -> None:
    file = tmp_path / "scheduler.json"
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    dask = [sys.executable, "-m", "dask"]
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [
        subprocess.Popen(
            [*scheduler, "--no-dashboard", "--scheduler-file", str(file)],
            env=env,
            **quiet,
        )
    ]
    try:
        for name in "ab":
            folder = tmp_path / name
            folder.mkdir()
            worker = [*dask, "worker", "--nthreads", "1", "--scheduler-file", str(file)]
            started.append(
                subprocess.Popen(
                    [*worker, "--no-dashboard"], cwd=folder, env=env, **quiet
                )
            )
        end_s = time.monotonic() + PATIENCE_S
        while not file.is_file():
            assert time.monotonic() < end_s
            time.sleep(0.1)
        argv = [*command(tmp_path / "sweep")]
        at = argv.index("--jobs")
        argv[at : at + 2] = ["--scheduler-file", str(file)]
        done = subprocess.run(
            argv,
            env=env,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == EXIT_OK, done.stderr
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(30.0)
    assert table(tmp_path / "sweep") == table(undisturbed)


def test_a_dry_run_counts_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "none"
    argv = [*PLAN, "--out", str(out), "--dry-run", "--json"]
    assert main(["sweep", *argv]) == EXIT_OK
    found = json.loads(capsys.readouterr().out)
    assert (found["runs"], found["references"], found["workers"]) == (RUNS + 2, 2, 2)
    assert found["simulated_s"] == pytest.approx(2.0)
    assert found["wall_s"] > 0.0 and found["disk_mb"] > 0.0
    assert not out.exists()


def test_tables_and_pictures_again(
    undisturbed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (undisturbed / "runs.csv").read_bytes()
    (undisturbed / "runs.csv").unlink()
    folder = str(undisturbed)
    assert main(["sweep-table", folder, "--format", "csv"]) == EXIT_OK
    assert (undisturbed / "runs.csv").read_bytes() == before
    pq = pytest.importorskip("pyarrow.parquet")
    assert main(["sweep-table", folder, "--format", "parquet"]) == EXIT_OK
    typed = pq.read_table(undisturbed / "runs.parquet")
    assert typed.num_rows == RUNS
    assert str(typed.schema.field("mass_error_kg").type) == "double"
    assert main(["sweep-table", folder, "--plot", "payload", "mass_error"]) == EXIT_OK
    assert (undisturbed / "plots" / "mass_error_kg-payload_kg.png").stat().st_size > 5e3
    capsys.readouterr()
    assert main(["sweep-table", folder, "--plot", "payload", "magic"]) == EXIT_BAD_INPUT
    assert "magic" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        ("window_washin", "did you mean window_washing"),
        ("standing --payload 1,,2", "--payload 1,,2"),
        ("standing --payload 1,1e9", "--payload 1e+09"),
        ("standing --arm middle", "--arm middle"),
        ("standing --seed 0:1.5", "--seed 0:1.5"),
        ("standing --set mpc.nothing=1,2", "mpc.nothing"),
        ("standing --set mpc.nothing", "--set mpc.nothing"),
        ("standing --shard 3/3", "--shard 3/3"),
        ("standing --jobs 0", "--jobs 0"),
        ("standing --jobs 2 --scheduler tcp://x:1", "--scheduler: not with --jobs"),
        ("standing --scheduler-file none.json", "--scheduler-file none.json"),
        ("standing --max-failures 0", "--max-failures 0"),
        ("standing --push-at 1", "--push-at: is for a push"),
        ("standing --robot nobody", "nobody"),
    ],
)
def test_mistakes_are_sentences(
    argv: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "sweep"
    assert main(["sweep", *argv.split(), "--out", str(out)]) == EXIT_BAD_INPUT
    captured = capsys.readouterr()
    assert told in captured.err and "Traceback" not in captured.err
    assert captured.out == ""


def test_folders_that_are_none_are_sentences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    out = str(tmp_path / "file")
    assert main(["sweep", "standing", "--out", out]) == EXIT_BAD_INPUT
    assert main(["sweep-table", out]) == EXIT_BAD_INPUT
    (tmp_path / "rows").mkdir()
    assert main(["sweep-table", str(tmp_path)]) == EXIT_BAD_INPUT
    told = capsys.readouterr().err
    assert "is a file" in told and "no rows/" in told and "no rows yet" in told


def test_failures_end_with_1_and_stay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disturbance beyond what a body can bear makes the robot fall."""
    argv = (
        "sweep standing --payload 0 --duration 1.2 --at 0.1 --push 0:0,1900:0 "
        "--push-at 0.1 --push-for 0.4 --jobs 2 --json --no-records --out"
    ).split()
    assert main([*argv, str(tmp_path / "s")]) == EXIT_BAD_END
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert (result["done"], result["fell"], result["runs"]) == (1, 1, 2)
    assert "ended badly: 1 fell of 2" in captured.err
    fell = next(r for r in table(tmp_path / "s") if r["status"] == "fell")
    assert "fell" in fell["reason"] and fell["push_forward_N"] == "1900.0"
    assert main([*argv, str(tmp_path / "s")]) == EXIT_BAD_END
    assert json.loads(capsys.readouterr().out)["made"] == 0
