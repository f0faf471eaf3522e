"""The scripted operator as a client of the page's socket, in a process of its own."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import time
import uuid
from contextlib import suppress

import msgspec
from aiohttp import ClientError, ClientSession, ClientWebSocketResponse

from teleop.script import END_S, FRAME_RATE_HZ, ScriptedOperator
from teleop.web.access import socket_url
from wbmpc.realtime import ask_fifo
from wbmpc.realtime.child_process import end_process, start_process

RECONNECT_S = 0.5
PRIORITY = 10
"""Of SCHED_FIFO, where it is granted."""


class ScriptedClient:
    """Runs the client while in context."""

    def __init__(self, url: str, seed: int) -> None:
        """Prepare.

        Args:
            url: Address of the page.
            seed: Of the hands' tremor.
        """
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(
            target=drive, args=(url, seed, os.getpid()), daemon=True
        )

    def __enter__(self) -> ScriptedClient:
        """Start."""
        start_process(self._process)
        return self

    @property
    def lost(self) -> bool:
        """Whether it died before its script was over."""
        return self._process.exitcode not in (None, 0)

    def __exit__(self, *_: object) -> None:
        """End, whatever it does."""
        end_process(self._process)


def drive(url: str, seed: int, parent: int) -> None:
    """Body of the process: the script once, from the first state of the robot on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    ask_fifo(PRIORITY)  # a headset does not share the machine
    asyncio.run(_drive(url, seed, parent))


async def _drive(url: str, seed: int, parent: int) -> None:
    address = socket_url(url)
    client = str(uuid.uuid4())
    operator = ScriptedOperator(seed)
    async with ClientSession() as session:
        while os.getppid() == parent:
            with suppress(ClientError, OSError):
                async with session.ws_connect(address) as socket:
                    hello = {"type": "hello", "client": client, "page": "xr"}
                    await socket.send_json({**hello, "version": 1})
                    await _play(socket, operator, parent)
                    return
            await asyncio.sleep(RECONNECT_S)


async def _play(
    socket: ClientWebSocketResponse, operator: ScriptedOperator, parent: int
) -> None:
    robot_is_there = asyncio.Event()
    listening = asyncio.create_task(_listen(socket, robot_is_there))
    start_s = due_s = time.monotonic()
    script_s = 0.0
    while script_s < END_S and os.getppid() == parent:
        now_s = time.monotonic()
        if not robot_is_there.is_set():
            start_s = now_s
        script_s = now_s - start_s
        frame = operator.frame(script_s, now_s)
        await socket.send_str(msgspec.json.encode(frame).decode())
        due_s += 1.0 / FRAME_RATE_HZ
        await asyncio.sleep(max(0.0, due_s - time.monotonic()))
    listening.cancel()


async def _listen(
    socket: ClientWebSocketResponse, robot_is_there: asyncio.Event
) -> None:
    """Read everything, so that nothing piles up."""
    async for message in socket:
        if msgspec.json.decode(message.data).get("age_s") is not None:
            robot_is_there.set()
