"""The operator's process as the control side sees it."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

from teleop.operator_process import (
    OperatorLinks,
    OperatorPlan,
    OperatorReady,
    OperatorReport,
    serve_operator,
)
from wbmpc.errors import RealTimeError
from wbmpc.realtime.child_process import (
    end_process,
    raise_sent_error,
    start_process,
)

READY_TIMEOUT_S = 60.0
END_TIMEOUT_S = 5.0


class OperatorLink:
    """Starts, asks and ends the operator's process.

    Its death is no reason to stop: the references stop, and the robot holds.
    """

    def __init__(self, plan: OperatorPlan) -> None:
        """Prepare; entering the context starts it."""
        context = multiprocessing.get_context("spawn")
        self._results, send = context.Pipe(duplex=False)
        self._send: Connection | None = send
        self._links = OperatorLinks(results=send, stop=context.RawValue("q", 0))
        self._process = context.Process(
            target=serve_operator, args=(plan, self._links), daemon=True
        )

    def __enter__(self) -> OperatorLink:
        """Start the process."""
        start_process(self._process)
        assert self._send is not None
        self._send.close()
        return self

    def __exit__(self, *_: object) -> None:
        """End the process, however the run ended."""
        self._links.stop.value = 1
        end_process(self._process, grace_s=0.5)

    @property
    def pid(self) -> int | None:
        """Of the process."""
        return self._process.pid

    def wait_ready(self) -> OperatorReady:
        """Wait until the page can be opened.

        Raises:
            RealTimeError: The process died or did not answer.
            ModelsError: It cannot do what was asked.
        """
        ready = self._receive(READY_TIMEOUT_S)
        if not isinstance(ready, OperatorReady):
            raise RealTimeError("the operator's process did not get ready")
        return ready

    def finish(self) -> OperatorReport | None:
        """Ask the process to end, and take its report; None if it is gone."""
        self._links.stop.value = 1
        try:
            report = self._receive(END_TIMEOUT_S)
        except RealTimeError:
            return None
        return report if isinstance(report, OperatorReport) else None

    def _receive(self, timeout_s: float) -> Any:
        try:
            if not self._results.poll(timeout_s):
                raise RealTimeError(
                    f"the operator's process did not answer within {timeout_s:g} s"
                )
            answer = self._results.recv()
        except (EOFError, OSError):
            self._process.join(END_TIMEOUT_S)
            raise RealTimeError(
                f"the operator's process died (exit code {self._process.exitcode})"
            ) from None
        raise_sent_error(answer)
        return answer
