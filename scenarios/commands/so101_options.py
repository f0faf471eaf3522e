"""What `wbmpc so101` may be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import tyro

from scenarios.commands.option_types import File, Folder, Seconds, told


class ArmBench(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Controllers on the torque plant, beside the published figures."""

    payload: tuple[float, ...] = (0.1, 0.2)
    """Masses of the box in the jaws besides none [kg]."""
    plant_armature: Annotated[float | None, told("KGM2")] = None
    """Another rotor inertia in the plant only [kg m^2]; the gate has to refuse it."""
    plant_extra: float = 0.0
    """So much more in the plant's jaws only [kg]; the gate has to refuse it."""
    json: bool = False
    """Print one JSON object on standard output."""
    out: Folder = None
    """Folder for the files, empty or new (default: runs/TIMESTAMP-so101-bench)."""
    no_files: bool = False
    """Leave no folder behind."""


class ArmServo(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Why the estimator fails on servos, cause by cause, and what works there."""

    payload: tuple[float, ...] = (0.09, 0.18)
    """Masses of the box in the jaws besides none [kg]."""
    seed: int = 0
    """Seed of the noise of the currents, and of the servos of `--twins`."""
    twins: int = 0
    """Also run the moving estimators on so many arms with other servos and gears."""
    json: bool = False
    """Print one JSON object on standard output."""
    out: Folder = None
    """Folder for the files, empty or new (default: runs/TIMESTAMP-so101-servo)."""
    no_files: bool = False
    """Leave no folder behind."""


class ArmCalibrate(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Fit the line from true masses to raw readings, with its statistics."""

    points: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """CSV file with the columns true_kg and raw_kg."""
    map: Annotated[tuple[float, ...], told("KG")] = ()
    """Raw readings to map with the fitted line [kg]."""
    json: bool = False
    """Print one JSON object on standard output."""


class ArmDrive(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Drive a real arm through the task; it moves."""

    port: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PORT")]
    """Serial port of the servo bus, or `simulated` for servos on a pseudo-terminal."""
    controller: Literal["pd", "computed_torque"] = "computed_torque"
    """What computes the torques."""
    payload: float = 0.0
    """What the model believes is in the jaws [kg]."""
    calibration: File = None
    """LeRobot calibration file of this arm (default: zero in the middle of a turn)."""
    timeout: Seconds = None
    """Time for the servos' answers a period [s] (default: 0.0035; simulated: 0.5)."""
    home: float = 4.0
    """Time to move from where the arm is to zero [s]."""
    release: bool = False
    """Switch the torque off at the end; the arm falls. Otherwise it holds."""
    json: bool = False
    """Print one JSON object on standard output."""
    out: Folder = None
    """Folder for the log, empty or new (default: runs/TIMESTAMP-so101-drive)."""
    no_files: bool = False
    """Leave no folder behind."""


class ArmJitter(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """How late the arm's 200 Hz loop is woken on this machine."""

    period: float = 0.005
    """Time between wake-ups [s]."""
    cycles: int = 2000
    """Number of wake-ups."""
    priority: int = 80
    """Priority under SCHED_FIFO, 1 to 99; what is refused is said."""
    json: bool = False
    """Print one JSON object on standard output."""


class So101(msgspec.Struct, frozen=True, kw_only=True):
    """The SO-101 arm: controllers, servos, payloads, jitter."""

    command: Annotated[
        Annotated[ArmBench, tyro.conf.subcommand("bench", prefix_name=False)]
        | Annotated[ArmServo, tyro.conf.subcommand("servo", prefix_name=False)]
        | Annotated[ArmCalibrate, tyro.conf.subcommand("calibrate", prefix_name=False)]
        | Annotated[ArmDrive, tyro.conf.subcommand("drive", prefix_name=False)]
        | Annotated[ArmJitter, tyro.conf.subcommand("jitter", prefix_name=False)],
        tyro.conf.OmitArgPrefixes,
    ]
    """What to do."""
