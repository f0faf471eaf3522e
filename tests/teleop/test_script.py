"""The operator without a body."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from teleop.conventions import hand_sample
from teleop.script import (
    END_S,
    FORWARD_M,
    FRAME_RATE_HZ,
    SQUEEZE_S,
    ScriptedOperator,
)


def frames(seed: int = 0) -> list[Any]:
    operator = ScriptedOperator(seed)
    times = np.arange(0.0, END_S, 1.0 / FRAME_RATE_HZ)
    return [operator.frame(float(t), float(t)) for t in times]


def test_the_script_moves_a_hand_20_cm_and_lets_go() -> None:
    assert np.linalg.norm(FORWARD_M) == pytest.approx(0.2)
    told = frames()
    hands = np.array([hand_sample(f.left, f.t).pose.translation for f in told])
    way = np.linalg.norm(hands - hands[0], axis=1)
    assert way.max() > 0.19 and way[-1] < 0.002
    speed = np.linalg.norm(np.diff(hands, axis=0), axis=1) * FRAME_RATE_HZ
    assert np.median(speed) < 0.3
    squeezed = np.array([f.left.squeeze for f in told])
    assert squeezed[0] == squeezed[-1] == 0.0 and squeezed.max() == 1.0
    assert SQUEEZE_S[0] > 0.5


def test_no_two_frames_of_the_script_are_the_same() -> None:
    told = frames()
    assert len({f.left.grip.p for f in told}) == len(told)
    assert [f.seq for f in told] == list(range(1, len(told) + 1))
    assert told[100].left.grip.p != frames(seed=1)[100].left.grip.p
