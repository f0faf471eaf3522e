"""Weights of the MPC's costs that leave nothing of the other costs."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from models.description.findings import Finding, warning
from wbmpc.settings import RobotSettings, load_settings

TUNED = "alexander"
"""The robot whose weights all others are scaled from, by a factor of about ten."""
MOST = 1e4
"""Times the tuned weight; at 1e6 times six of eleven costs make the robot fall."""


def weight_doubts(settings: RobotSettings) -> Iterator[Finding]:
    """One warning per weight that is far beyond the tuned one."""
    tuned = load_settings(TUNED).mpc.costs
    for name in msgspec.structs.asdict(tuned):
        weight = getattr(settings.mpc.costs, name).weight
        usual = getattr(tuned, name).weight
        if weight > MOST * usual:
            yield warning(
                f"settings: mpc.costs.{name}.weight",
                f"{weight:g}",
                f"{weight / usual:.0e} times the tuned {usual:g}: the other costs no "
                "longer count, and the robot may fall",
            )
