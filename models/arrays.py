"""The one kind of array that all packages but `ekf` compute with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
