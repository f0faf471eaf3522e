"""The minimum-jerk step."""

from __future__ import annotations

import numpy as np

from wbmpc.min_jerk import min_jerk


def test_it_starts_and_ends_at_rest_and_stays_there() -> None:
    share = np.linspace(-0.5, 1.5, 2001)
    step = min_jerk(share)
    assert step[0] == 0.0 and step[-1] == 1.0
    assert np.all(np.diff(step) >= 0.0)
    assert np.allclose(step + step[::-1], 1.0)


def test_speed_and_acceleration_are_zero_at_both_ends() -> None:
    h = 1e-4
    for end, inwards in ((0.0, h), (1.0, -h)):
        travelled = abs(min_jerk(np.array(end + inwards)) - end)
        assert travelled < 11.0 * h**3
