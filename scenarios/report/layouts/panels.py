"""What every layout shows: a few plots, each of fields of the log."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Curve:
    """One curve.

    Attributes:
        topic: Of the log.
        field: Of its message.
        label: In the legend.
        color: As #rrggbb.
    """

    topic: str
    field: str
    label: str
    color: str


@dataclass(frozen=True)
class Panel:
    """One plot.

    Attributes:
        title: With the unit.
        curves: In the order of the legend.
    """

    title: str
    curves: tuple[Curve, ...]


BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#7a7c82"
RED, GREEN = "#d91c61", "#129e59"

PANELS = (
    Panel(
        "Payload [kg]",
        (
            Curve("/body", "payload_left_kg", "true, left", RED),
            Curve("/payloads/left", "mass_kg", "estimate, left", GREEN),
            Curve("/body", "payload_right_kg", "true, right", ORANGE),
            Curve("/payloads/right", "mass_kg", "estimate, right", BLUE),
        ),
    ),
    Panel(
        "Mass of the left forearm [kg]",
        (
            Curve("/links/left", "mass_true_kg", "true", RED),
            Curve("/links/left", "mass_kg", "estimate", GREEN),
            Curve("/links/left", "mass_published_kg", "told the controller", GREY),
        ),
    ),
    Panel(
        "Height of the tips [m]",
        (
            Curve("/tips/left", "world_z_m", "left", BLUE),
            Curve("/tips/right", "world_z_m", "right", ORANGE),
        ),
    ),
    Panel(
        "Centre of mass over the feet [m]",
        (
            Curve("/body", "com_x_m", "x", BLUE),
            Curve("/body", "com_ref_x_m", "x, reference", GREY),
            Curve("/body", "com_y_m", "y", ORANGE),
        ),
    ),
    Panel(
        "Left foot, vertical [N]",
        (
            Curve("/feet/left/wrench", "wrench.force.z", "true", RED),
            Curve("/feet/left/wrench_estimated", "wrench.force.z", "estimate", GREEN),
        ),
    ),
    Panel(
        "Innovation gate",
        (Curve("/estimator", "test_ratio", "test ratio (gate: 1)", BLUE),),
    ),
)
EVENTS = "/rosout"
STATES = tuple(f"/payloads/{side}" for side in ("left", "right"))
