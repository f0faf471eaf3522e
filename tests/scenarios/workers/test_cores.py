"""How many cores may be used, by each of those who can say so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scenarios.workers.cores import usable_cores

ALL = len(os.sched_getaffinity(0))


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)))


def nothing(folder: Path) -> dict[str, Path]:
    return {"cgroups": folder / "cgroup", "own": folder / "own"}


def test_without_limits_it_is_the_affinity_mask(tmp_path: Path) -> None:
    assert usable_cores({}, **nothing(tmp_path)) == ALL


def test_a_mask_of_one_core_is_one_core(tmp_path: Path) -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert usable_cores({}, **nothing(tmp_path)) == 1
    finally:
        os.sched_setaffinity(0, before)


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(
    ("environment", "cores"),
    [
        ({"SLURM_CPUS_PER_TASK": "4", "SLURM_CPUS_ON_NODE": "32"}, 4),
        ({"SLURM_CPUS_ON_NODE": "16"}, 16),
        ({"SLURM_CPUS_PER_TASK": "128"}, 64),
        ({"SLURM_CPUS_PER_TASK": "", "SLURM_CPUS_ON_NODE": "x"}, 64),
    ],
)
def test_slurm_grants(environment: dict[str, str], cores: int, tmp_path: Path) -> None:
    assert usable_cores(environment, **nothing(tmp_path)) == cores


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(
    ("files", "own", "cores"),
    [
        ({"cpu.max": "400000 100000"}, "0::/", 4),
        ({"cpu.max": "max 100000"}, "0::/", 64),
        ({"a/cpu.max": "200000 100000", "a/b/cpu.max": "max 100000"}, "0::/a/b", 2),
        ({"a/cpu.max": "150000 100000"}, "0::/a", 1),
        ({"a/cpu.max": "50000 100000"}, "0::/a", 1),
        (
            {
                "cpu,cpuacct/a/cpu.cfs_quota_us": "300000",
                "cpu,cpuacct/a/cpu.cfs_period_us": "100000",
            },
            "4:cpu,cpuacct:/a",
            3,
        ),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, "", 64),
    ],
)
def test_quotas_of_control_groups(
    files: dict[str, str], own: str, cores: int, tmp_path: Path
) -> None:
    where = nothing(tmp_path)
    for name, text in files.items():
        path = where["cgroups"] / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    where["own"].write_text(own + "\n", encoding="utf-8")
    assert usable_cores({}, **where) == cores
