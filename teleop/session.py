"""The server's view of the operator: text in, text out, and never an exception."""

from __future__ import annotations

from collections import Counter

from teleop import messages
from teleop.arms import SIDES
from teleop.engagement import HandState
from teleop.messages import (
    BadMessage,
    BasePose,
    ClientMessage,
    Hello,
    Link,
    Payload,
    Ping,
    Pong,
    PoseFrame,
    Reach,
    Sides,
    State,
    Status,
    Stop,
    Welcome,
)
from teleop.operator import Operator
from teleop.settings import TeleopSettings
from teleop.stream_messages import RobotState

CLIENT_GONE_S = 2.0
"""A client that was silent for this long can be replaced by another one."""

SATURATED_SHARE = 0.1
"""Share of the last second at its torque limit from which a joint is named."""


class OperatorSession:
    """Who drives, what they say, and what they are shown.

    Attributes:
        operator: What the frames go to.
        counts: Messages that were not used, by kind.
        page_clock: The page's own clock estimate (offset and round trip in s), for
            comparison.
    """

    def __init__(self, operator: Operator, settings: TeleopSettings) -> None:
        """Wait for a client."""
        self.operator, self._settings = operator, settings
        self.counts: Counter[str] = Counter()
        self.page_clock: tuple[float, float] | None = None
        self._client: str | None = None
        self._heard_s = 0.0

    def on_message(self, text: str | bytes, received_s: float) -> list[str]:
        """Take one frame of the driving client, or a hello, ping or stop of any.

        Args:
            text: As it came.
            received_s: Server's clock.

        Returns:
            Answers to be sent back.
        """
        try:
            message = messages.decode(text)
            answer = self._answer(message, received_s)
        except BadMessage as error:
            self.counts[error.kind] += 1
            return []
        except Exception:  # a client must not be able to stop the server
            self.counts["internal_error"] += 1
            return []
        return [] if answer is None else [messages.encode(answer)]

    def on_disconnect(self, client: str) -> None:
        """The driving client's connection is gone; it may come back."""
        if client == self._client:
            self.operator.release("connection closed")
            self._client = None

    def status(self, now_s: float) -> str:
        """The status that the operator sees."""
        operator = self.operator
        states = {side: operator.hands[side].engagement.state for side in SIDES}
        robot = operator.state
        engaged = {side: operator.hands[side].drives for side in SIDES}
        margin = None if robot is None else robot.margin_m
        status = Status(
            t=now_s,
            link=self._link(now_s),
            rate_hz=operator.rate_hz(now_s),
            gaps=operator.gaps,
            engaged=Sides(**engaged),
            state=_state(states, stopped=operator.stopped),
            reason=self._reason(),
            payload=_payload(robot),
            margin_m=margin,
            age_s=operator.state_age_s(now_s),
            q=None if robot is None else robot.q,
            base=None
            if robot is None
            else BasePose(p=robot.base[:3], q=robot.base[3:]),
            reach=Reach(**operator.reach_error_m),
            haptic=self._haptic(margin) if any(engaged.values()) else 0.0,
        )
        return messages.encode(status)

    def _answer(
        self, message: ClientMessage, received_s: float
    ) -> Welcome | Pong | None:
        if isinstance(message, Hello):
            return self._welcome(message, received_s)
        if isinstance(message, Ping):
            return Pong(id=message.id, t=message.t, server_t=received_s)
        if isinstance(message, Stop):
            self.operator.stop()
            return None
        if self._client is None:
            self.counts["before_hello"] += 1
            return None
        self._heard_s = received_s
        if isinstance(message, PoseFrame):
            self.operator.frame(message, received_s)
        else:
            self.page_clock = (message.offset_s, message.rtt_s)
        return None

    def _welcome(self, hello: Hello, received_s: float) -> Welcome:
        if hello.version != messages.VERSION:
            return Welcome(
                accepted=False,
                reason=f"page speaks version {hello.version}, the server "
                f"{messages.VERSION}: reload the page",
            )
        others = self._client not in (None, hello.client)
        if others and received_s - self._heard_s < CLIENT_GONE_S:
            self.counts["refused_clients"] += 1
            return Welcome(accepted=False, reason="another client drives the robot")
        self._client, self._heard_s = hello.client, received_s
        self.operator.connect(hello.page)
        return Welcome(accepted=True)

    def _link(self, now_s: float) -> Link:
        age_s, limits = self.operator.age_s(now_s), self._settings.engagement
        if self._client is None or age_s > limits.disengage_after_s:
            return "lost"
        return "stale" if age_s > limits.hold_after_s else "ok"

    def _reason(self) -> str | None:
        """One sentence: what is in everybody's way, else what each hand waits for."""
        if self._client is None:
            return "no client drives"
        blocked = self.operator.blocked()
        if blocked is not None:
            return blocked
        reasons = {s: h.engagement.reason for s, h in self.operator.hands.items()}
        said = [f"{side} hand: {why}" for side, why in reasons.items() if why]
        return "; ".join([*said, *self._at_limits()]) or None

    def _at_limits(self) -> list[str]:
        """Joints that cannot do what is asked, most of the time first."""
        robot = self.operator.state
        shares = {} if robot is None else robot.saturated
        often = sorted(shares.items(), key=lambda item: -item[1])
        told = [
            f"{joint} {100 * share:.0f} %"
            for joint, share in often
            if share > SATURATED_SHARE
        ]
        return [f"torque at its limit: {', '.join(told)}"] if told else []

    def _haptic(self, margin_m: float | None) -> float:
        if margin_m is None:
            return 0.0
        below = self._settings.haptic_below_m
        return min(max(1.0 - margin_m / below, 0.0), 1.0)


def _state(states: dict[str, HandState], *, stopped: bool) -> State:
    """The one word that matters most, of both hands."""
    if stopped:
        return "stopped"
    for state in (HandState.HELD, HandState.ENGAGED, HandState.READY):
        if state in states.values():
            return state.value
    return "idle"


def _payload(robot: RobotState | None) -> tuple[Payload, ...] | None:
    if robot is None or not robot.payload:
        return None
    return tuple(
        Payload(
            link="left" if side == "left" else "right",
            mass_kg=estimate.mass_kg,
            sigma_kg=estimate.sigma_kg,
        )
        for side, estimate in robot.payload.items()
    )
