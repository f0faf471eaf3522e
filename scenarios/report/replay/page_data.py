"""What the replay page says and plots of its runs, at the rate of its pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.arrays import Array
from scenarios.records.record import SIDES, RunRecord
from scenarios.records.scene_colors import ESTIMATE_RGB, TRUE_LOAD_RGB, as_css

WITH, WITHOUT = "with", "without"
WITH_COLOR, WITHOUT_COLOR = "#0072B2", "#7a7c82"
DASH = [5, 3]
_DIGITS = 4


def page_data(
    record: RunRecord, other: RunRecord | None, rate_hz: float
) -> dict[str, Any]:
    """Everything but the pictures, as JSON.

    Args:
        record: The run in colour.
        other: The run in grey.
        rate_hz: Pictures a second.
    """
    runs = [(WITH, record)] + ([] if other is None else [(WITHOUT, other)])
    ends = [float(run.time_s[-1]) for _, run in runs]
    start_s = float(record.time_s[0])
    times = start_s + np.arange(round((max(ends) - start_s) * rate_hz) + 1) / rate_hz
    return {
        "start_s": start_s,
        "end_s": max(ends),
        "rate_hz": rate_hz,
        "has_reports": any(link.payload for link in record.links.values()),
        "robots": [_robot(name, run, other is not None) for name, run in runs],
        "events": [[round(t, 3), text] for t, text in record.events],
        "plots": [*_loads(record, times), *_tips(runs, times)],
    }


def _robot(name: str, run: RunRecord, is_compared: bool) -> dict[str, str]:
    grey = name == WITHOUT
    where = ("left, grey: " if grey else "right, in colour: ") if is_compared else ""
    with_it = "with" if run.settings.has_estimator else "without"
    fell = f", fell at {run.time_s[-1]:.2f} s" if run.fell else ""
    return {
        "text": f"{where}{run.robot}, {with_it} estimator{fell}",
        "color": WITHOUT_COLOR if grey else WITH_COLOR,
    }


def _loads(record: RunRecord, times: Array) -> list[dict[str, Any]]:
    """A plot per forearm: true load, estimate with its interval."""
    plots = []
    for index, side in enumerate(SIDES):
        curves = []
        if record.has_truth:
            truth = record.payload_kg[:, index]
            curves.append(_curve("true", TRUE_LOAD_RGB, record, truth, times))
        payload = record.links[side].payload
        if payload is not None:
            mass, spread = payload.mass_kg, 2.0 * payload.sigma_mass_kg
            curve = _curve("estimate, 2 sigma", ESTIMATE_RGB, record, mass, times)
            known = np.where(spread < 1e3, spread, np.nan)
            low = np.where(np.isfinite(known), np.maximum(mass - known, 0.0), np.nan)
            curve["low"] = _values(record, low, times)
            curve["high"] = _values(record, mass + known, times)
            curves.append(curve)
        if curves:
            plots.append(
                {"title": f"load on the {side} forearm [kg]", "curves": curves}
            )
    return plots


def _tips(runs: list[tuple[str, RunRecord]], times: Array) -> list[dict[str, Any]]:
    """A plot per forearm: height of the tip in every run."""
    plots = []
    for side in SIDES:
        curves = []
        for name, run in runs:
            height = run.tips[side].world_m[:, 2]
            curves.append(
                {
                    "label": f"{name} estimator" if len(runs) > 1 else "tip",
                    "color": WITH_COLOR if name == WITH else WITHOUT_COLOR,
                    "run": name if len(runs) > 1 else "",
                    "y": _values(run, height, times),
                    "dash": [] if name == WITH else DASH,
                }
            )
        plots.append({"title": f"height of the {side} tip [m]", "curves": curves})
    return plots


def _curve(
    label: str,
    rgb: tuple[float, float, float],
    run: RunRecord,
    values: Array,
    times: Array,
) -> dict[str, Any]:
    return {"label": label, "color": as_css(rgb), "y": _values(run, values, times)}


def _values(run: RunRecord, values: Array, times: Array) -> list[float | None]:
    """Values at the times of the pictures; none after a run's end, or where unknown."""
    index = np.searchsorted(run.time_s, times - 1e-9)
    inside = index < len(run.time_s)
    taken = values[np.minimum(index, len(run.time_s) - 1)]
    return [
        round(float(v), _DIGITS) if ok and np.isfinite(v) else None
        for v, ok in zip(taken, inside, strict=True)
    ]
