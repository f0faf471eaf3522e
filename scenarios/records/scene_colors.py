"""Colours of loads wherever a run is drawn; no shipped robot has them."""

from __future__ import annotations

TRUE_LOAD_RGB = (0.85, 0.11, 0.38)
ESTIMATE_RGB = (0.07, 0.62, 0.35)


def as_number(rgb: tuple[float, float, float]) -> int:
    """A colour as 0xRRGGBB."""
    red, green, blue = (round(255 * share) for share in rgb)
    return red << 16 | green << 8 | blue


def as_css(rgb: tuple[float, float, float]) -> str:
    """A colour as #rrggbb."""
    return f"#{as_number(rgb):06x}"
