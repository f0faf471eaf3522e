"""Message types of a run's log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from ekf.supervisor.observability import CHANNELS
from models.arrays import Array
from scenarios.records.frames import WORLD
from scenarios.records.record import RunRecord

Message = tuple[float, str, str, Any]
"""Time in s, topic, message type, message."""

NS = 1_000_000_000
FLAT = "wbmpc_msgs/msg/"
"""Package of the flat messages."""

LINK_FIELDS = (
    "mass_kg",
    "mass_true_kg",
    "mass_published_kg",
    "sigma_mass_kg",
    *(f"com_{a}_m" for a in "xyz"),
    *(f"com_true_{a}_m" for a in "xyz"),
    "alpha",
    *(f"d{i}" for i in (1, 2, 3)),
    *(f"s{i}" for i in (12, 23, 13)),
    *(f"t{i}" for i in (1, 2, 3)),
)
PAYLOAD_LISTS = ("sigma_mass_kg", "smallest_kg", "com_m", "sigma_com_m")
"""Empty where nothing is known: no load, or an arm that hides it."""
PAYLOAD_FIELDS = ("mass_kg", *(f"observability_{c}" for c in CHANNELS))
SUPERVISION_FIELDS = ("test_ratio", "rows_left_out", "unexplained_kg")
TIP_FIELDS = (
    *(f"world_{a}_m" for a in "xyz"),
    *(f"torso_{a}_m" for a in "xyz"),
    *(f"reference_torso_{a}_m" for a in "xyz"),
)
BODY_FIELDS = (
    *(f"com_{a}_m" for a in "xyz"),
    *(f"com_ref_{a}_m" for a in "xyz"),
    *(f"pelvis_{a}_m" for a in "xyz"),
    "payload_left_kg",
    "payload_right_kg",
    "plan_cost",
)


class Schemas:
    """Message types of one run: the standard ones and its flat ones."""

    def __init__(self, record: RunRecord) -> None:
        """Register the flat types of a run.

        Args:
            record: The run, for the names of its stages and costs.
        """
        self.store = get_typestore(Stores.ROS2_JAZZY)
        self.timing = {field_name(k): k for k in record.timing_ms}
        self.cost = {field_name(k): k for k in record.cost_by_term}
        floats: dict[str, Sequence[str]] = {
            "LinkEstimate": LINK_FIELDS,
            "Supervision": SUPERVISION_FIELDS,
            "Tip": TIP_FIELDS,
            "Body": BODY_FIELDS,
            "Timing": [f"{name}_ms" for name in self.timing],
            "Cost": list(self.cost),
        }
        for name, fields in floats.items():
            self._add(name, [f"float64 {field}" for field in fields])
        self._add("Status", ["string solve", "string mode"])
        payload = [f"float64 {field}" for field in PAYLOAD_FIELDS]
        payload += [f"float64[] {field}" for field in PAYLOAD_LISTS]
        self._add("Payload", ["string state", *payload])

    def _add(self, name: str, lines: Sequence[str]) -> None:
        text = "\n".join(("std_msgs/Header header", *lines))
        self.store.register(get_types_from_msg(text, FLAT + name))

    def header(self, time_s: float, frame: str) -> Any:
        """A stamp and a frame."""
        sec, nanosec = divmod(nanoseconds(time_s), NS)
        stamp = self.new("builtin_interfaces/msg/Time", sec=sec, nanosec=nanosec)
        return self.new("std_msgs/msg/Header", stamp=stamp, frame_id=frame)

    def new(self, kind: str, **fields: Any) -> Any:
        """A message of a type, with all its fields."""
        return self.store.types[kind](**fields)

    def flat(
        self,
        kind: str,
        time_s: float,
        names: Sequence[str],
        row: Array,
        frame: str = WORLD,
    ) -> Any:
        """A flat message: one number a name."""
        values = dict(zip(names, map(float, row), strict=True))
        return self.new(kind, header=self.header(time_s, frame), **values)

    def vector(self, xyz: Any, kind: str = "Vector3") -> Any:
        """Three numbers as a vector, or a point."""
        x, y, z = map(float, xyz)
        return self.new(f"geometry_msgs/msg/{kind}", x=x, y=y, z=z)


def nanoseconds(time_s: float) -> int:
    """Simulation time as integer nanoseconds."""
    return round(time_s * NS)


def field_name(name: str) -> str:
    """A valid ROS field name: lower case, letters, digits and single underscores."""
    kept = "".join(c if c.isalnum() else "_" for c in name.lower())
    kept = "_".join(filter(None, kept.split("_")))
    return kept if kept[:1].isalpha() else f"f_{kept}"
