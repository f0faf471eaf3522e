"""Ctrl-C before there is anything to end in order.

An interrupt inside an import is a traceback at best; native modules make another
exception of it. So while packages are imported Ctrl-C ends the process at once.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from scenarios.exit_codes import EXIT_INTERRUPTED

_WORDS = b"wbmpc: interrupted\n"


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Within, Ctrl-C ends the process with one sentence and exit code 130.

    Nothing is changed where Ctrl-C is ignored, or is somebody else's.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def comes_from_interrupt(error: BaseException) -> bool:
    """Whether an exception is what became of a KeyboardInterrupt."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, KeyboardInterrupt):
        seen = seen.__cause__ or seen.__context__
    return seen is not None


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    os.write(2, _WORDS)
    os._exit(EXIT_INTERRUPTED)
