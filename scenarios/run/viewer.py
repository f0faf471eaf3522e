"""The interface of a live view of the robot."""

from __future__ import annotations

from typing import Protocol

import numpy as np


class Viewer(Protocol):
    """Something that shows the robot while it runs."""

    def update(
        self,
        time_s: float,
        q: np.ndarray,
        payload_kg: np.ndarray,
        estimates: np.ndarray | None = None,
    ) -> None:
        """Show a configuration of `Robot.full_model` and the loads left and right.

        `estimates` (2, 7) is what the estimator believes of them: mass, centre in the
        forearm's joint frame, and the centre's standard deviations.
        """
        ...
