"""Beginning, errors and end of a spawned process.

It begins deaf to Ctrl-C, which reaches all processes of a terminal, and would make it
a traceback while it imports; who started it ends it: asked, then told, then made. An
error that is fit for a user crosses as itself, a bug as its traceback.
"""

from __future__ import annotations

import signal
import traceback
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess

from models.errors import ModelsError
from wbmpc.errors import ProcessLostError

END_TIMEOUT_S = 5.0


def start_process(process: BaseProcess) -> None:
    """Start a process in which Ctrl-C stays blocked.

    Blocked, not ignored: one that comes meanwhile is delivered here afterwards.

    Raises:
        ProcessLostError: The system has no room for it.
    """
    resource_tracker.ensure_running()  # its own start unblocks Ctrl-C
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    except OSError as error:
        raise ProcessLostError(
            f"no other process can be started: {error.strerror or error}"
        ) from None
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def error_to_send(error: Exception) -> ModelsError | str:
    """The failure that a process sends in place of its result."""
    if isinstance(error, ModelsError):
        return error
    return "".join(traceback.format_exception(error))


def raise_sent_error(answer: object) -> None:
    """Raise what came of `error_to_send`; anything else is left alone.

    Raises:
        ModelsError: The process refused what was asked.
        RuntimeError: A bug there is a bug here, too.
    """
    if isinstance(answer, ModelsError):
        raise answer
    if isinstance(answer, str):
        raise RuntimeError(f"a spawned process raised:\n{answer}")


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
