"""The end of a spawned process: asked, then told, then made."""

from __future__ import annotations

from multiprocessing.process import BaseProcess

END_TIMEOUT_S = 5.0


def end_process(process: BaseProcess, *, grace_s: float = 0.0) -> None:
    """Return once a process is gone, whatever it is doing.

    Args:
        process: One that was started.
        grace_s: Time to end by itself, for one that was asked to.
    """
    if grace_s > 0.0:
        process.join(grace_s)
    if process.is_alive():
        process.terminate()
        process.join(END_TIMEOUT_S)
    if process.is_alive():
        process.kill()
    process.join()
