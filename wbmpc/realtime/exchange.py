"""The newest value of something, from one process to another, without locks.

Two buffers in shared memory: the writer fills the one that is not current and then
makes it current. Nobody ever waits for anybody. A reader that is overtaken twice while
it copies notices by the number and the checksum it finds, and keeps what it had.
"""

from __future__ import annotations

import zlib
from multiprocessing.context import BaseContext
from typing import Any

import numpy as np

_HEAD = np.dtype([("number", "i8"), ("checksum", "i8")])
_READ_ATTEMPTS = 3


class Slot:
    """A value of a fixed structured dtype with one writer and any number of readers.

    Pass it as an argument to spawned processes. The memory has no name and goes with
    the last process, however that ends.
    """

    def __init__(self, context: BaseContext, dtype: np.dtype) -> None:
        """Allocate both buffers; number 0 means that nothing was written yet."""
        self.dtype = dtype
        self._buffer_dtype = np.dtype([("head", _HEAD), ("value", dtype)])
        size = 8 + 2 * self._buffer_dtype.itemsize
        self._memory: Any = context.RawArray("b", size)
        self._map()

    def __getstate__(self) -> tuple[np.dtype, Any]:
        """Pass the memory itself, not a copy of what is in it."""
        return self.dtype, self._memory

    def __setstate__(self, state: tuple[np.dtype, Any]) -> None:
        """Map the memory of another process."""
        self.dtype, self._memory = state
        self._buffer_dtype = np.dtype([("head", _HEAD), ("value", self.dtype)])
        self._map()

    def _map(self) -> None:
        view = memoryview(self._memory)
        self._current = np.frombuffer(view, dtype="i8", count=1)
        self._buffers = np.frombuffer(view, self._buffer_dtype, count=2, offset=8)

    @property
    def number(self) -> int:
        """How many values were written."""
        return int(self._current[0])

    def write(self, value: np.ndarray) -> None:
        """Make a value, an array () of the slot's dtype, the current one."""
        number = self.number + 1
        buffer = self._buffers[number % 2]
        buffer["head"]["number"] = -1
        buffer["value"] = value
        buffer["head"]["checksum"] = zlib.crc32(value.tobytes())
        buffer["head"]["number"] = number
        self._current[0] = number

    def read(self) -> tuple[int, np.ndarray] | None:
        """Number and copy of the current value; None if there is none to be had."""
        for _ in range(_READ_ATTEMPTS):
            number = self.number
            if number == 0:
                return None
            copy = self._buffers[number % 2].copy()
            head, value = copy["head"], np.array(copy["value"])
            if head["number"] == number:
                if zlib.crc32(value.tobytes()) == head["checksum"]:
                    return number, value
        return None
