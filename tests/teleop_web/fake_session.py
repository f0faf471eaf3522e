"""An operator's session without a robot behind it, for the page and its server."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teleop import messages
from wbmpc.robot import Robot

GOOD_S = 0.5
STALE_S = 0.2


class FakeSession:
    """Keeps what arrives; engages on a squeeze; says what the test wants said.

    Attributes:
        poses: Pose frames in order of arrival, as (received_s, frame).
        clocks: The page's own estimates of the clocks' offset.
        hellos: Hellos in order of arrival.
        gone: Clients whose connection ended.
        bad: Messages that could not be read.
        stops: Stops of anybody.
        says: Fields of the status that the test sets.
        driver: Client that drives.
    """

    def __init__(self, robot: Robot | None = None) -> None:
        self.poses: list[tuple[float, messages.PoseFrame]] = []
        self.clocks: list[messages.Clock] = []
        self.hellos: list[messages.Hello] = []
        self.gone: list[str] = []
        self.bad = 0
        self.stops = 0
        self.says: dict[str, Any] = {}
        self.driver: str | None = None
        self._hello_s = 0.0
        if robot is not None:
            self.stand(robot.home_q_full)

    def stand(self, q: NDArray[np.float64]) -> None:
        """Let the robot stand in a configuration."""
        self.says["base"] = {"p": q[:3].tolist(), "q": q[3:7].tolist(), "valid": True}
        self.says["q"] = q[7:].tolist()

    def on_message(self, text: str | bytes, received_s: float) -> list[str]:
        try:
            message = messages.decode(text)
        except messages.BadMessage:
            self.bad += 1
            return []
        if isinstance(message, messages.PoseFrame):
            self.poses.append((received_s, message))
        elif isinstance(message, messages.Clock):
            self.clocks.append(message)
        elif isinstance(message, messages.Stop):
            self.stops += 1
        elif isinstance(message, messages.Ping):
            pong = messages.Pong(id=message.id, t=message.t, server_t=received_s)
            return [messages.encode(pong)]
        else:
            return [messages.encode(self._welcome(message, received_s))]
        return []

    def on_disconnect(self, client: str) -> None:
        self.gone.append(client)
        self.driver = None

    def status(self, now_s: float) -> str:
        last_s, last = self.poses[-1] if self.poses else (-np.inf, None)
        fresh = now_s - last_s < STALE_S and self.driver is not None
        ready = fresh and now_s - self._hello_s > GOOD_S
        engaged = {
            side: bool(ready and hand is not None and (hand.squeeze or 0.0) > 0.5)
            for side in ("left", "right")
            for hand in [getattr(last, side, None)]
        }
        state = "engaged" if any(engaged.values()) else "ready" if ready else "idle"
        rate = sum(now_s - received_s < 1.0 for received_s, _ in self.poses[-200:])
        table = {
            "type": "status",
            "t": now_s,
            "link": "ok" if fresh else "lost",
            "rate_hz": float(rate),
            "gaps": self.gaps(),
            "engaged": engaged,
            "state": state,
            "reason": None,
            "payload": None,
            "margin_m": 0.052,
            "age_s": 0.01,
            "q": None,
            "base": None,
            "reach": {"left": 0.004, "right": 0.006},
            "haptic": 0.0,
        }
        return json.dumps(table | self.says)

    def gaps(self) -> int:
        """Numbers missing in the sequence of poses."""
        numbers = [frame.seq for _, frame in self.poses]
        steps = zip(numbers, numbers[1:], strict=False)
        return sum(after - before - 1 for before, after in steps)

    def _welcome(self, hello: messages.Hello, now_s: float) -> messages.Welcome:
        self.hellos.append(hello)
        if self.driver not in (None, hello.client):
            return messages.Welcome(accepted=False, reason="another client drives")
        self.driver, self._hello_s = hello.client, now_s
        return messages.Welcome(accepted=True)
