"""Runs the server in a thread of the tests."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from teleop.web import OperatorSession, ServerAddress, serve

START_TIMEOUT_S = 10.0
CLOSE_S = 0.05
"""Time for the loop to close what was connected."""


@contextlib.contextmanager
def served(
    session: OperatorSession, *, figure: bytes = b"{}", port: int = 0, **options: Any
) -> Iterator[ServerAddress]:
    """The address of a server that runs until the block ends."""
    ready = threading.Event()
    found: list[Any] = []
    loop = asyncio.new_event_loop()

    def tell(what: Any) -> None:
        found.append(what)
        ready.set()

    async def run() -> None:
        try:
            await serve(session, figure=figure, on_ready=tell, port=port, **options)
        except asyncio.CancelledError:
            await asyncio.sleep(CLOSE_S)
        except BaseException as error:
            tell(error)
            raise

    task = loop.create_task(run())
    thread = threading.Thread(target=_run, args=(loop, task), daemon=True)
    thread.start()
    try:
        assert ready.wait(START_TIMEOUT_S)
        if isinstance(found[0], BaseException):
            raise found[0]
        yield found[0]
    finally:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(task.cancel)
        thread.join(START_TIMEOUT_S)


def _run(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    with contextlib.suppress(BaseException):
        loop.run_until_complete(task)
    loop.close()
