"""Where a film can be taken from."""

from __future__ import annotations

from typing import Literal

View = Literal["front", "side", "hands"]
