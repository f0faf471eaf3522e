"""How many cores this process may use, which is often less than the machine has."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUPS = Path("/proc/self/cgroup")
SLURM = ("SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE")
"""What SLURM granted a task or, if nothing is said of tasks, its part of this node."""


def usable_cores(
    environment: Mapping[str, str] = os.environ,
    *,
    cgroups: Path = CGROUPS,
    own: Path = OWN_CGROUPS,
) -> int:
    """Cores of the affinity mask, less if a cgroup or SLURM grants less; at least 1.

    A quota of 1.5 cores counts as one: two busy processes would wait for each other.

    Args:
        environment: Where SLURM says what it granted.
        cgroups: Where the system shows control groups, of version 2 or 1.
        own: File that names the group of this process.
    """
    limits = [_affinity(), _slurm(environment), _quota(cgroups, own)]
    return max(1, min(math.floor(limit) for limit in limits if limit is not None))


def _affinity() -> float:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _slurm(environment: Mapping[str, str]) -> float | None:
    for name in SLURM:
        told = environment.get(name, "")
        if told.isdecimal() and int(told) > 0:
            return int(told)
    return None


def _quota(cgroups: Path, own: Path) -> float | None:
    """The smallest quota of this process's groups and of those that they are in."""
    found = [
        quota
        for folder in _folders(cgroups, own)
        for quota in (_quota_of_2(folder), _quota_of_1(folder))
        if quota is not None
    ]
    return min(found, default=None)


def _folders(cgroups: Path, own: Path) -> list[Path]:
    """Folders that may hold a quota: a container sees its own group as the root."""
    folders = [cgroups, cgroups / "cpu"]
    for line in _text(own).splitlines():
        _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        if controllers not in ("", "cpu", "cpu,cpuacct"):
            continue
        root = cgroups / controllers if controllers else cgroups
        parts = Path(path.strip("/"))
        folders += [root / part for part in (parts, *parts.parents)]
    return folders


def _quota_of_2(folder: Path) -> float | None:
    quota, _, period = _text(folder / "cpu.max").strip().partition(" ")
    return _share(quota, period)


def _quota_of_1(folder: Path) -> float | None:
    quota = _text(folder / "cpu.cfs_quota_us").strip()
    return _share(quota, _text(folder / "cpu.cfs_period_us").strip())


def _share(quota: str, period: str) -> float | None:
    if not (quota.isdecimal() and period.isdecimal()):  # "max", or -1: no limit
        return None
    return int(quota) / int(period) if int(period) and int(quota) else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
