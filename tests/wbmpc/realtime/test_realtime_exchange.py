"""Values between processes: newest one, whole or not at all, nobody waits."""

from __future__ import annotations

import multiprocessing
import time
from typing import Any

import numpy as np
import pytest

from wbmpc.realtime import Slot

DTYPE = np.dtype([("number", "i8"), ("values", "f8", (2000,))])
CONTEXT = multiprocessing.get_context("spawn")


def value(number: int) -> np.ndarray:
    out = np.zeros((), DTYPE)
    out["number"], out["values"] = number, number
    return out


@pytest.fixture
def slot() -> Slot:
    return Slot(CONTEXT, DTYPE)


def test_nothing_was_written(slot: Slot) -> None:
    assert slot.number == 0
    assert slot.read() is None


def test_the_newest_value_is_read(slot: Slot) -> None:
    for number in (1, 2, 3):
        slot.write(value(number))
        found = slot.read()
        assert found is not None
        assert found[0] == slot.number == number
        assert found[1]["number"] == number


def test_a_read_value_is_a_copy(slot: Slot) -> None:
    slot.write(value(1))
    found = slot.read()
    slot.write(value(2))
    slot.write(value(3))
    assert found is not None
    assert (found[1]["values"] == 1).all()


def test_a_torn_value_is_noticed(slot: Slot) -> None:
    slot.write(value(1))
    slot._buffers[1]["value"]["values"][7] = 99.0  # a writer in the middle of it
    assert slot.read() is None
    slot.write(value(2))
    assert slot.read() is not None


def _write_many(slot: Slot, stop: Any) -> None:
    number = 0
    while not stop.value:
        number += 1
        slot.write(value(number))


def test_another_process_never_shows_half_a_value(slot: Slot) -> None:
    stop = CONTEXT.RawValue("b", 0)
    process = CONTEXT.Process(target=_write_many, args=(slot, stop), daemon=True)
    process.start()
    seen: list[int] = []
    try:
        end_s = time.monotonic() + 20.0
        while len(seen) < 20 and time.monotonic() < end_s:
            found = slot.read()
            if found is None or found[0] in seen[-1:]:
                time.sleep(1e-4)
                continue
            assert (found[1]["values"] == found[1]["number"]).all()
            assert found[0] == found[1]["number"]
            seen.append(found[0])
    finally:
        stop.value = 1
        process.join(10.0)
    assert process.exitcode == 0
    assert seen == sorted(seen)
    assert len(seen) == 20
