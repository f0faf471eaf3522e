"""Calls handed to worker processes, which may die, and what came of them.

A call whose worker dies is made again by another one, twice at most. One that raises
is not: with the same settings it would raise again.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import queue
import time
import traceback
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from models.errors import ModelsError
from scenarios.workers.identity import this_identity
from wbmpc.errors import ProcessLostError

if TYPE_CHECKING:
    from distributed import Client, Future

MOST_TRIES = 3
"""Of a call whose worker dies."""
LOOK_S = 0.2
"""Between two looks at who is there."""
ANSWER_S = 2.0
"""For an answer to come over; it is small."""
ADVICE = "wbmpc doctor checks the installation"
REPORT_S = 0.5
"""Between two reports of how far a call is."""
GRACE_S = 3.0
"""After which a worker without permission is asked why."""

Call = tuple[Callable[..., Any], tuple[Any, ...]]
Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A call that is over.

    Attributes:
        name: Of the call.
        value: What it returned.
        error: What it refused, or how its worker was lost; None if it returned.
        trace: Traceback of a bug; empty otherwise.
        lost: Whether its worker died each time.
    """

    name: str
    value: Any = None
    error: ModelsError | None = None
    trace: str = ""
    lost: bool = False

    @classmethod
    def of(cls, name: str, call: Callable[[], Any]) -> Finished:
        """Make a call here; what it refuses is kept, a bug is raised."""
        try:
            return cls(name=name, value=call())
        except ModelsError as error:
            return cls(name=name, error=error)

    def failure(self) -> Exception | None:
        """What to raise for it; None if it returned."""
        if self.trace:
            return RuntimeError(f"a worker raised:\n{self.trace}")
        return self.error


@dataclass(kw_only=True)
class _Task:
    """A call on its way.

    Attributes:
        name: Of the call.
        function: What is called.
        args: With what.
        tries: How often it was handed out.
        worker: Address of who has it; None while it waits to be handed out again.
        future: What comes of it.
    """

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    tries: int = 0
    worker: str | None = None
    future: Future | None = None


class Crew:
    """Workers of one cluster, each of which gets one call at a time.

    The scheduler is told which worker takes a call: what it would do with calls of a
    dead one depends on its settings, and is not to be seen from here.

    Attributes:
        dashboard: Address of a page that shows what they do; None if there is none.
        on_progress: Called with the name of a call and how far it is.
    """

    def __init__(
        self,
        client: Client,
        *,
        say: Say,
        dashboard: str | None,
        is_ours: bool = False,
    ) -> None:
        """Let those workers of a cluster work that are the same program.

        Args:
            client: Connected to the cluster.
            say: Is told of workers that are refused.
            dashboard: Where the cluster shows itself.
            is_ours: Whether all workers are started by this process: one that is
                another program is an error then, and waiting does not help.
        """
        self._is_ours = is_ours
        self._client, self._say, self.dashboard = client, say, dashboard
        self.on_progress: Callable[[str, float], None] | None = None
        self._over: queue.SimpleQueue[tuple[_Task, Future]] = queue.SimpleQueue()
        self._tasks: dict[str, _Task] = {}
        self._may: frozenset[str] = frozenset()
        self._looked_s = -math.inf
        self._seen_s: dict[str, float] = {}
        self._asked: set[str] = set()
        self._wanted = msgspec.to_builtins(this_identity())
        self._resource = f"wbmpc-{this_identity().digest}"
        self._topic = f"wbmpc-progress-{uuid.uuid4().hex}"
        client.subscribe_topic(self._topic, self._progress)
        self._install_gate()

    def workers(self) -> frozenset[str]:
        """Addresses of workers that may work; asks new ones that may not why.

        Raises:
            ProcessLostError: The cluster is gone, or one of our own workers may not.
        """
        now_s = time.monotonic()
        if now_s - self._looked_s < LOOK_S:
            return self._may
        self._looked_s = now_s
        if self._client.status != "running":
            raise _gone()
        may = set()
        for address, worker in self._there().items():
            if self._resource in worker.get("resources", {}):
                may.add(address)
            elif now_s - self._seen_s.setdefault(address, now_s) > GRACE_S:
                self._ask(address)
        self._may = frozenset(may)
        return self._may

    def refused(self) -> int:
        """Workers that are there and may not work."""
        return len(self._asked)

    def room(self) -> int:
        """Calls that can be handed out now; the others wait with who has them."""
        return max(0, len(self._free()) - len(self._returned()))

    @property
    def running(self) -> int:
        """Calls that are not over."""
        return len(self._tasks)

    def start(self, name: str, function: Callable[..., Any], *args: Any) -> None:
        """Hand out a call.

        Args:
            name: Of the call, unlike those of all others that are not over.
            function: Importable by name in a worker. It can tell how far it is with
                `report`.
            args: Can be pickled.
        """
        self._tasks[name] = _Task(name=name, function=function, args=args)
        self._hand_out()

    def finished(self, timeout_s: float) -> Finished | None:
        """A call that is over; None if none is after some time.

        Raises:
            ProcessLostError: The cluster is gone.
        """
        lost = self._take_back()
        if lost is not None:
            return lost
        self._hand_out()
        try:
            task, future = self._over.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if task.future is not future or task.name not in self._tasks:
            return None  # it was taken back meanwhile
        return self._outcome(task, future)

    def each(self, calls: Mapping[str, Call]) -> Iterator[Finished]:
        """Make calls by name; yield each when it is over.

        Raises:
            ProcessLostError: The cluster is gone.
        """
        waiting, left = iter(calls.items()), len(calls)
        while left:
            for name, (function, args) in itertools.islice(waiting, self.room()):
                self.start(name, function, *args)
            done = self.finished(LOOK_S)
            if done is not None:
                left -= 1
                yield done

    def drop(self) -> None:
        """Give up all calls that are not over."""
        futures = [task.future for task in self._tasks.values() if task.future]
        self._tasks.clear()
        with contextlib.suppress(Exception):
            self._client.cancel(futures, force=True)

    def _there(self) -> dict[str, Any]:
        """Workers that the scheduler knows, by address.

        Asked for directly: what `scheduler_info` returns is overwritten now and then,
        without workers, by the client's own look at the cluster.
        """
        try:
            scheduler: Any = self._client.scheduler
            identity = self._client.sync(scheduler.identity, n_workers=-1)
        except (OSError, TimeoutError):
            raise _gone() from None
        workers: dict[str, Any] = identity["workers"]
        return workers

    def _free(self) -> list[str]:
        busy = {task.worker for task in self._tasks.values()}
        return sorted(self.workers() - busy)

    def _returned(self) -> list[_Task]:
        return [task for task in self._tasks.values() if task.worker is None]

    def _hand_out(self) -> None:
        returned = self._returned()
        if not returned:
            return
        for task, worker in zip(returned, self._free(), strict=False):
            task.tries += 1
            task.worker = worker
            future = self._client.submit(
                _attempt,
                task.name,
                self._topic,
                task.function,
                task.args,
                key=f"{task.name}-{uuid.uuid4().hex[:8]}",
                pure=False,
                workers=[worker],
                allow_other_workers=False,
                resources={self._resource: 1},
            )
            task.future = future
            future.add_done_callback(
                lambda done, task=task: self._over.put((task, done))
            )

    def _take_back(self) -> Finished | None:
        """Take calls from workers that are gone; the first that was lost too often."""
        alive = self.workers()
        for task in list(self._tasks.values()):
            if task.worker is not None and task.worker not in alive:
                lost = self._lose(task)
                if lost is not None:
                    return lost
        return None

    def _lose(self, task: _Task) -> Finished | None:
        future, task.future, task.worker = task.future, None, None
        if future is not None:
            with contextlib.suppress(Exception):
                self._client.cancel([future], force=True)
        if task.tries < MOST_TRIES:
            return None
        del self._tasks[task.name]
        told = f"{task.name}: its process died {MOST_TRIES} times"
        return Finished(
            name=task.name, error=ProcessLostError(f"{told}; {ADVICE}"), lost=True
        )

    def _outcome(self, task: _Task, future: Future) -> Finished | None:
        """The answer of a call, or None if its worker died with it."""
        answer = self._answer(task, future)
        if answer is None:
            return self._lose(task)
        del self._tasks[task.name]
        future.release()
        kind, value = answer
        if kind == "refused":
            return Finished(name=task.name, error=value)
        if kind == "raised":
            return Finished(name=task.name, trace=value)
        return Finished(name=task.name, value=value)

    def _answer(self, task: _Task, future: Future) -> tuple[str, Any] | None:
        from distributed import TimeoutError as NotYet

        while True:
            try:
                kind, value = future.result(timeout=ANSWER_S)
            except NotYet:  # lost with its worker, between the end and the fetching
                self._looked_s = -math.inf
                if task.worker not in self.workers():
                    return None
            except Exception:  # killed, cancelled, unreadable: it has no answer
                return None
            else:
                return kind, value

    def _progress(self, event: tuple[float, Any]) -> None:
        name, reached = event[1]
        if self.on_progress is not None:
            self.on_progress(name, reached)

    def _install_gate(self) -> None:
        with _sent_whole() as gate:
            plugin = gate.Gate(self._resource, self._wanted)
            self._client.register_plugin(plugin, name=self._resource)

    def _ask(self, address: str) -> None:
        """Find out, and say once, why a worker may not work."""
        if address in self._asked:
            return
        self._asked.add(address)
        with _sent_whole() as gate:
            answers = self._client.run(
                gate.differences, self._wanted, workers=[address], on_error="return"
            )
        told = answers.get(address)
        if isinstance(told, list) and told and self._is_ours:
            raise ProcessLostError(
                "the program was changed while it ran, a new worker is another one: "
                f"{'; '.join(told)}; the same command goes on"
            )
        if isinstance(told, list) and told:
            self._say(f"worker {address} is refused: {'; '.join(told)}")
        else:
            self._asked.discard(address)


@contextlib.contextmanager
def _sent_whole() -> Iterator[Any]:
    """The gate's module, sent as it is and not by its name."""
    import cloudpickle

    from scenarios.workers import gate

    cloudpickle.register_pickle_by_value(gate)
    try:
        yield gate
    finally:
        cloudpickle.unregister_pickle_by_value(gate)


def report(reached: float) -> None:
    """Called within a call: tell how far it is, not more often than is of use."""
    teller = getattr(_local, "teller", None)
    if teller is not None:
        teller(reached)


class _Local:
    """What the call in progress is; a worker makes one at a time."""

    teller: Callable[[float], None] | None = None


_local = _Local()


def _attempt(
    name: str, topic: str, function: Callable[..., Any], args: tuple[Any, ...]
) -> tuple[str, Any]:
    """Body of a call in a worker: an exception is an answer like any other."""
    from distributed import get_worker

    worker, last = get_worker(), [time.monotonic()]

    def tell(reached: float) -> None:
        now = time.monotonic()
        if now - last[0] > REPORT_S:
            last[0] = now
            worker.log_event(topic, (name, reached))

    _local.teller = tell
    try:
        return "value", function(*args)
    except ModelsError as error:
        return "refused", error
    except Exception as error:
        return "raised", "".join(traceback.format_exception(error))
    finally:
        _local.teller = None


def _gone() -> ProcessLostError:
    return ProcessLostError(
        "the cluster is gone; finished runs are kept, and the same command goes on"
    )
