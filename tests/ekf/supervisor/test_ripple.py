"""The quick part of innovations under a lasting alarm."""

import numpy as np
import pytest

from ekf.supervisor.ripple import InnovationRipple

DT_S = 0.01
ALARMED = np.array([True, False])


def _ripples(signals, dt_s=DT_S, span_s=0.02, patience_s=0.5):
    ripple = InnovationRipple(2, span_s, patience_s)
    return zip(*(ripple.look(row, ALARMED, dt_s) for row in signals), strict=True)


@pytest.mark.parametrize("dt_s", [0.002, 0.01, 0.05])
def test_white_noise_keeps_its_variance_at_any_rate(rng, dt_s):
    quick, _ = _ripples(rng.normal(size=(20000, 2)) + 30.0, dt_s)
    assert np.var(quick[1000:], axis=0) == pytest.approx([1.0, 1.0], rel=0.05)


def test_what_a_load_adds_is_left_out():
    """5 Nm that come and go once a second."""
    times = DT_S * np.arange(1000)
    load = 5.0 + 5.0 * np.sin(2.0 * np.pi * times)
    quick, _ = _ripples(np.column_stack((load, load)))
    assert np.abs(quick[100:]).max() < 0.2 * 5.0


def test_only_an_alarm_that_lasts_or_returns_often_counts():
    _, lasting = _ripples(np.zeros((60, 2)))
    assert not np.any(lasting[:49])
    assert np.array_equal(lasting[-1], ALARMED)
    for period, counts in ((50, False), (10, True)):
        ripple = InnovationRipple(2, 0.02, 0.5)
        told = []
        for tick in range(1000):  # three ticks of alarm each time
            alarmed = ALARMED & (tick % period < 3)
            told.append(ripple.look(np.zeros(2), alarmed, DT_S)[1])
            assert not np.any(told[-1] & ~alarmed)
        assert np.any(told) == counts
    ripple.reset()
    assert not ripple.look(np.zeros(2), ALARMED, DT_S)[1].any()
