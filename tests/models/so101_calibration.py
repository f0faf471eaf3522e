"""A calibration file of the arm for tests, written from code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RANGES = {
    "shoulder_pan": (800, 3300),
    "shoulder_lift": (910, 3180),
    "elbow_flex": (950, 3150),
    "wrist_flex": (970, 3130),
    "wrist_roll": (0, 4095),
    "gripper": (2030, 3280),
}
OFFSETS = (-1480, 36, 0, -2047, 2047, 112)


def calibration(joint: str | None = None, **changes: Any) -> dict[str, dict[str, Any]]:
    """The table of a file that is right, but for one joint's changes."""
    table: dict[str, dict[str, Any]] = {
        name: {
            "id": index,
            "drive_mode": 0,
            "homing_offset": offset,
            "range_min": low,
            "range_max": high,
        }
        for index, ((name, (low, high)), offset) in enumerate(
            zip(RANGES.items(), OFFSETS, strict=True), start=1
        )
    }
    if joint is not None:
        table[joint].update(changes)
    return table


def written(path: Path, table: object) -> Path:
    """A file with it."""
    path.write_text(json.dumps(table))
    return path
