"""The tare: held at nominal, averaged, taken off."""

from __future__ import annotations

import numpy as np
import pytest

from scenarios.library.run_settings import run_settings
from scenarios.run.tare import LEAD_S, TareWindow, TorqueTare


def test_window_ends_before_loading() -> None:
    window = TareWindow.of(run_settings("runtime_loading", tare_s=2.0))
    assert window is not None
    assert (window.start_s, window.end_s) == (4.0 - LEAD_S, 6.0 - LEAD_S)
    assert TareWindow.of(run_settings("runtime_loading")) is None


def test_window_fits_before_an_early_load() -> None:
    settings = run_settings("balance", at_s=1.0, tare_s=0.8, duration_s=5.0)
    window = TareWindow.of(settings)
    assert window is not None
    assert (window.start_s, window.end_s) == (0.0, 0.8)


def test_only_the_window_is_averaged() -> None:
    tare = TorqueTare(TareWindow(start_s=1.0, end_s=2.0))
    assert tare.bias is None
    for time_s, value in ((0.5, 100.0), (1.0, 1.0), (1.5, 3.0), (2.0, 100.0)):
        tare.add(time_s, np.full(3, value))
    tare.add(1.7, None)
    assert tare.bias == pytest.approx([2.0, 2.0, 2.0])
    assert tare.holds(1.99)
    assert not tare.holds(2.0)
