"""Where workers come from: this machine's cores, or a cluster by its address.

A local cluster speaks TLS with a certificate of its own: what can talk to a scheduler
can run anything, and a machine may have other users.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from scenarios.errors import ScenarioError
from scenarios.interrupts import ending_at_once
from scenarios.workers.crew import Crew, Say
from wbmpc.errors import ProcessLostError

CONNECT_S = 30.0
CLOSE_S = 5.0
QUIET = {
    # A worker's profiler wakes a hundred times a second.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.comm.timeouts.connect": f"{CONNECT_S:g}s",
}


def nothing(sentence: str) -> None:
    """Says nothing."""
    del sentence


@contextlib.contextmanager
def local_crew(jobs: int, *, say: Say = nothing) -> Iterator[Crew]:
    """Spawned workers of one thread each on this machine, gone afterwards.

    Ctrl-C ends this process at once while they start, and they end with it.

    Raises:
        ProcessLostError: They cannot be started.
    """
    with contextlib.ExitStack() as opened:
        with ending_at_once():
            client = _start_cluster(jobs, opened)
            dashboard = _dashboard(client)
            crew = Crew(client, say=say, dashboard=dashboard, is_ours=True)
        yield crew


@contextlib.contextmanager
def remote_crew(
    *, address: str | None = None, file: Path | None = None, say: Say
) -> Iterator[Crew]:
    """Workers of a running cluster, which stays.

    Args:
        address: Of its scheduler, such as tcp://node7:8786.
        file: What `dask scheduler --scheduler-file` wrote, in place of an address.
        say: Is told of workers that are refused.

    Raises:
        ScenarioError: Nobody is there.
    """
    with contextlib.ExitStack() as opened:
        with ending_at_once():
            client = opened.enter_context(_connect(address, file))
            crew = Crew(client, say=say, dashboard=_dashboard(client))
        yield crew


def _start_cluster(jobs: int, opened: contextlib.ExitStack) -> Any:
    """A client of new workers; what has to be closed later is pushed on a stack."""
    distributed, loop = _distributed(), _deaf_loop()
    opened.callback(loop.stop)
    try:
        cluster = distributed.LocalCluster(
            loop=loop.loop,
            n_workers=jobs,
            threads_per_worker=1,
            processes=True,
            memory_limit=None,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            security=True,
            silence_logs=False,
        )
        opened.callback(_close, cluster)
        return opened.enter_context(distributed.Client(cluster, set_as_default=False))
    except (OSError, RuntimeError, TimeoutError) as error:
        raise ProcessLostError(
            f"workers cannot be started on this machine: {error}"
        ) from None


def _close(cluster: Any) -> None:
    with contextlib.suppress(Exception):  # a worker that is just starting
        cluster.close(timeout=CLOSE_S)


def _connect(address: str | None, file: Path | None) -> Any:
    distributed = _distributed()
    told = f"--scheduler {address}" if file is None else f"--scheduler-file {file}"
    where = {"address": address} if file is None else _scheduler_file(file)
    try:
        if address is not None:
            distributed.comm.get_address_host_port(address, strict=True)
        return distributed.Client(**where, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ScenarioError(f"{told}: no scheduler answers there: {error}") from None


def _scheduler_file(file: Path) -> dict[str, str]:
    if not file.is_file():
        raise ScenarioError(f"--scheduler-file {file}: no such file")
    return {"scheduler_file": str(file)}


def _dashboard(client: Any) -> str | None:
    """Address of the page of a cluster; None for ours if there is nothing to draw it.

    Of a cluster elsewhere it is not known whether it has bokeh.
    """
    if client.cluster is not None and importlib.util.find_spec("bokeh") is None:
        return None
    link = client.dashboard_link
    return str(link) if link else None


def _deaf_loop() -> Any:
    """A loop in a thread in which Ctrl-C is blocked, and so in all that it starts.

    Ctrl-C reaches all processes of a terminal; those that this process ends itself must
    not answer it with a traceback.
    """
    from distributed.utils import LoopRunner

    with _environment(PYTHONWARNINGS="ignore:resource_tracker"):  # if we are killed
        resource_tracker.ensure_running()  # its own start unblocks Ctrl-C
    runner = LoopRunner(asynchronous=False)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        runner.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return runner


@contextlib.contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _distributed() -> Any:
    """The package with its logs off, here and in spawned workers."""
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "critical")
    with ending_at_once():
        import dask

        dask.config.set(QUIET)
        import distributed
    for name in (*logging.root.manager.loggerDict, "distributed"):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return distributed
