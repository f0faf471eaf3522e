"""Identified drives as a TOML file, and back."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from ekf.identification.drive import KINDS, Drives
from models.errors import UnknownNameError
from models.toml_file import read_struct
from scenarios.errors import ScenarioError


class DriveEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Drive of one joint: each parameter and its standard deviation [Nm, s, rad]."""

    coulomb: float
    viscous: float
    offset: float
    stribeck: float
    inertia: float
    gain: float
    load_friction: float
    sigma_coulomb: float
    sigma_viscous: float
    sigma_offset: float
    sigma_stribeck: float
    sigma_inertia: float
    sigma_gain: float
    sigma_load_friction: float
    stribeck_speed: float
    resting_speed: float


class DriveFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Drives by joint."""

    joints: dict[str, DriveEntry]


def drives_text(drives: Drives) -> str:
    """The file."""
    lines = [
        "# Identified by wbmpc identify. SI units; gain is the share by which measured",
        "# torques are too large; inertia is that of the rotor beyond the model's.",
    ]
    for k, joint in enumerate(drives.joints):
        lines += ["", f"[joints.{msgspec.json.encode(joint).decode()}]"]
        for kind, value in zip(KINDS, drives.values[k], strict=True):
            lines.append(f"{kind} = {float(value):.9g}")
        for kind, value in zip(KINDS, drives.sigma[k], strict=True):
            lines.append(f"sigma_{kind} = {float(value):.9g}")
        lines.append(f"stribeck_speed = {float(drives.stribeck_speed[k]):.9g}")
        lines.append(f"resting_speed = {float(drives.resting_speed[k]):.9g}")
    # A float needs a point or an exponent in TOML.
    return "\n".join(_as_float(line) for line in lines) + "\n"


def _as_float(line: str) -> str:
    name, equals, value = line.partition(" = ")
    whole = equals and value.lstrip("-").isdigit()
    return f"{name} = {value}.0" if whole else line


def load_drives(path: Path, joints: tuple[str, ...]) -> Drives:
    """Drives of some joints from a file.

    Raises:
        SettingsError: No such file, or not such a file.
        UnknownNameError: It lacks a joint.
        ScenarioError: A standard deviation or a speed is not positive.
    """
    entries = read_struct(path, DriveFile).joints
    for joint in joints:
        if joint not in entries:
            raise UnknownNameError("joint", joint, entries, str(path))
        for name in (
            *(f"sigma_{kind}" for kind in KINDS),
            "stribeck_speed",
            "resting_speed",
        ):
            value = getattr(entries[joint], name)
            if not value > 0.0:
                raise ScenarioError(
                    f"{path}: {joint}.{name} = {value:g}: must be positive"
                )
    own = [entries[joint] for joint in joints]
    sigma = np.array([[getattr(e, f"sigma_{kind}") for kind in KINDS] for e in own])
    return Drives(
        joints=joints,
        values=np.array([[getattr(e, kind) for kind in KINDS] for e in own]),
        covariance=np.diag(sigma.ravel() ** 2),
        stribeck_speed=np.array([e.stribeck_speed for e in own]),
        resting_speed=np.array([e.resting_speed for e in own]),
        prior_sigma=np.full(sigma.shape, np.inf),
    )
