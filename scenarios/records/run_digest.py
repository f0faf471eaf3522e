"""A run's name: a digest of all it is asked for, the robot's files included."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from scenarios.run.settings import RunSettings
from wbmpc.settings import load_settings


class RunDigests:
    """Names runs; each robot's files are read once, so make a new one for new files."""

    def __init__(self) -> None:
        """Start with no robot read."""
        self._robots: dict[tuple[str, tuple[str, ...]], tuple[bytes, bytes]] = {}

    def __call__(self, settings: RunSettings) -> str:
        """16 hexadecimal digits.

        Raises:
            ModelsError: No such robot, or a setting of it that cannot be.
        """
        robot, urdf = self._robot(settings)
        asked = msgspec.json.encode(settings, order="sorted")
        digest = hashlib.sha256(b"[" + asked + b"," + robot + b"]" + urdf)
        return digest.hexdigest()[:16]

    def _robot(self, settings: RunSettings) -> tuple[bytes, bytes]:
        key = settings.robot, settings.overrides
        if key not in self._robots:
            robot = load_settings(*key)
            urdf = Path(robot.urdf)
            robot = msgspec.structs.replace(robot, urdf=urdf.name)
            encoded = msgspec.json.encode(robot, order="sorted")
            self._robots[key] = encoded, urdf.read_bytes()
        return self._robots[key]
