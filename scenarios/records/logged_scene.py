"""What a viewer needs to draw a run: the robot, its frames, and the loads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.frame_names import frame_index
from scenarios.records.frames import FrameTree, Transform
from scenarios.records.log_schemas import Message, Schemas
from scenarios.records.record import SIDES, RunRecord
from scenarios.records.scene_colors import ESTIMATE_RGB, TRUE_LOAD_RGB
from wbmpc.plant.payload import Payload
from wbmpc.robot import Robot

TRUE_RGBA = (*TRUE_LOAD_RGB, 0.9)
ESTIMATED_RGBA = (*ESTIMATE_RGB, 0.6)
_SPHERE, _ADD, _DELETE = 2, 0, 2


class LoggedScene:
    """Frames, description and loads of a run as messages."""

    def __init__(self, schemas: Schemas, record: RunRecord) -> None:
        """Build the robot of a run.

        Args:
            schemas: Message types.
            record: The run.
        """
        settings = record.settings
        self._robot = Robot.load(settings.robot, settings.overrides)
        self._schemas, self._record = schemas, record
        self._frames = FrameTree(self._robot)

    def start(self) -> Iterator[Message]:
        """What is told once: the robot file and the frames that never move."""
        kind = "std_msgs/msg/String"
        text = Path(self._robot.settings.urdf).read_text(errors="replace")
        yield 0.0, "/robot_description", kind, self._schemas.new(kind, data=text)
        yield self._transforms(0.0, "/tf_static", self._frames.fixed())

    def at(self, k: int) -> Iterator[Message]:
        """Frames and loads at a tick."""
        time_s, q = float(self._record.time_s[k]), self._record.q[k]
        yield self._transforms(time_s, "/tf", self._frames.moving(q))
        kind = "visualization_msgs/msg/MarkerArray"
        message = self._schemas.new(kind, markers=list(self._markers(time_s, k)))
        yield time_s, "/loads", kind, message

    def _transforms(
        self, time_s: float, topic: str, found: Iterable[Transform]
    ) -> Message:
        new, header = self._schemas.new, self._schemas.header
        stamped = []
        for parent, child, placement in found:
            x, y, z, w = pin.Quaternion(placement.rotation).coeffs()
            rotation = new("geometry_msgs/msg/Quaternion", x=x, y=y, z=z, w=w)
            translation = self._schemas.vector(placement.translation)
            stamped.append(
                new(
                    "geometry_msgs/msg/TransformStamped",
                    header=header(time_s, parent),
                    child_frame_id=child,
                    transform=new(
                        "geometry_msgs/msg/Transform",
                        translation=translation,
                        rotation=rotation,
                    ),
                )
            )
        kind = "tf2_msgs/msg/TFMessage"
        return time_s, topic, kind, new(kind, transforms=stamped)

    def _markers(self, time_s: float, k: int) -> Iterator[Any]:
        """A sphere per true load at its tip, and one per estimate at its centre."""
        for index, side in enumerate(SIDES):
            true_kg = float(self._record.payload_kg[k, index])
            link = self._record.links[side]
            yield self._marker(
                time_s,
                self._robot.arms[side].tip_frame,
                f"{side} true",
                self._offset_m(side),
                true_kg,
                TRUE_RGBA,
            )
            if link.payload is not None:
                centre, found_kg = link.payload.com_m[k], float(link.payload.mass_kg[k])
                yield self._marker(
                    time_s,
                    link.link,
                    f"{side} estimate",
                    centre,
                    found_kg,
                    ESTIMATED_RGBA,
                )

    def _offset_m(self, side: str) -> Array:
        """(3,) centre of the true load, in the axes of the tip."""
        model, tip = self._robot.full_model, self._robot.arms[side].tip_frame
        rotation = model.frames[frame_index(model, tip)].placement.rotation
        offset: Array = rotation.T @ self._record.settings.payload_offset_m
        return offset

    def _marker(
        self,
        time_s: float,
        frame: str,
        name: str,
        centre_m: Any,
        mass_kg: float,
        rgba: tuple[float, ...],
    ) -> Any:
        new = self._schemas.new
        shown = mass_kg > 0.0 and bool(np.isfinite(centre_m).all())
        size = 2.0 * Payload(mass_kg=mass_kg).radius_m if shown else 0.0
        place = centre_m if shown else np.zeros(3)
        upright = new("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0)
        never = new("builtin_interfaces/msg/Duration", sec=0, nanosec=0)
        return new(
            "visualization_msgs/msg/Marker",
            header=self._schemas.header(time_s, frame),
            ns=name,
            id=0,
            type=_SPHERE,
            action=_ADD if shown else _DELETE,
            pose=new(
                "geometry_msgs/msg/Pose",
                position=self._schemas.vector(place, "Point"),
                orientation=upright,
            ),
            scale=self._schemas.vector((size, size, size)),
            color=new("std_msgs/msg/ColorRGBA", **dict(zip("rgba", rgba, strict=True))),
            lifetime=never,
            frame_locked=True,
            points=[],
            colors=[],
            texture_resource="",
            texture=new(
                "sensor_msgs/msg/CompressedImage",
                header=self._schemas.header(time_s, ""),
                format="",
                data=np.zeros(0, dtype=np.uint8),
            ),
            uv_coordinates=[],
            text="",
            mesh_resource="",
            mesh_file=new(
                "visualization_msgs/msg/MeshFile",
                filename="",
                data=np.zeros(0, dtype=np.uint8),
            ),
            mesh_use_embedded_materials=False,
        )
