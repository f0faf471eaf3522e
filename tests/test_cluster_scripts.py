"""Scripts and manifests of docs/clusters.md ask for what the program has."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from scenarios.cli import parse
from scenarios.commands.sweep import Sweep
from scenarios.sweep.plan import parse_shard

PAGE = Path(__file__).resolve().parents[1] / "docs" / "clusters.md"
RECORDING = 'wbmpc() { printf "%s\\0" "$@"; }; source() { :; }; '


def blocks(kind: str) -> list[str]:
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def asked(script: str, **environment: str) -> Sweep:
    """What a shell script asks the program for."""
    done = subprocess.run(
        ["bash", "-c", RECORDING + script],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    command = parse(done.stdout.split("\0")[:-1])
    assert isinstance(command, Sweep)
    return command


@pytest.mark.parametrize("index", ["0", "9"])
def test_the_job_array_makes_its_part(index: str, tmp_path: Path) -> None:
    (script,) = (block for block in blocks("bash") if "#SBATCH" in block)
    sweep = asked(
        script,
        SLURM_ARRAY_TASK_ID=index,
        SLURM_ARRAY_TASK_COUNT="10",
        SLURM_SUBMIT_DIR=str(tmp_path),
    )
    assert parse_shard(sweep.shard or "") == (int(index), 10)
    assert sweep.seed == "0:20" and sweep.arm == "left,right"


def test_the_indexed_job_makes_its_part() -> None:
    (text,) = blocks("yaml")
    job = yaml.safe_load(text)["spec"]
    (container,) = job["template"]["spec"]["containers"]
    assert container["command"] == ["/bin/sh", "-c"]
    sweep = asked(container["args"][0], JOB_COMPLETION_INDEX="3")
    assert parse_shard(sweep.shard or "") == (3, job["completions"])
    (mount,) = container["volumeMounts"]
    assert sweep.out.startswith(mount["mountPath"])


def test_commands_by_hand_can_be_read() -> None:
    (script,) = (block for block in blocks("bash") if "dask worker" in block)
    lines = [line.partition("#")[0] for line in script.splitlines()]
    command = parse(shlex.split(lines[-1])[1:])
    assert isinstance(command, Sweep) and command.scheduler_file == "cluster.json"
    for line in lines[:-1]:
        program, word, *flags = shlex.split(line)
        assert program == "dask"
        told = subprocess.run(  # its script need not be on the path of the tests
            [sys.executable, "-m", "dask", word, "--help"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert all(flag in told for flag in flags if flag.startswith("--"))


def test_the_python_of_dask_jobqueue_is_python() -> None:
    (code,) = blocks("py")
    compile(code, str(PAGE), "exec")
