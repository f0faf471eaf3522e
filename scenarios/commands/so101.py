"""`wbmpc so101`, and its own commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import tyro

from scenarios.commands.command import Command
from scenarios.commands.options import File, Folder, Json, NoFiles, Seconds, told
from scenarios.commands.output import leave_folder, print_result, say
from scenarios.errors import ScenarioError
from scenarios.exit_codes import EXIT_BAD_END, EXIT_OK
from scenarios.interrupts import ending_at_once
from scenarios.records.run_folder import RunFolder, asked_path
from scenarios.records.versions import installed_versions

if TYPE_CHECKING:
    pass

MAX_TWINS = 1000


class ArmBench(Command, frozen=True, kw_only=True, tag=True):
    """Controllers on the torque plant, beside the published figures."""

    payload: tuple[float, ...] = (0.1, 0.2)
    """Masses of the box in the jaws besides none [kg]."""
    plant_armature: Annotated[float | None, told("KGM2")] = None
    """Another rotor inertia in the plant only [kg m^2]; the gate has to refuse it."""
    plant_extra: float = 0.0
    """So much more in the plant's jaws only [kg]; the gate has to refuse it."""
    json: Json = False
    out: Folder = None
    """Folder for the files, empty or new (default: runs/TIMESTAMP-so101-bench)."""
    no_files: NoFiles = False

    def act(self) -> int:
        """Run every controller with every payload."""
        with ending_at_once():
            from scenarios.studies.so101 import bench
            from scenarios.studies.so101.tables import bench_text
            from wbmpc.arm.description import Arm
        path, arm = asked_path(self, "so101-bench"), Arm.load()
        change = bench.PlantChange(
            armature_kgm2=self.plant_armature, extra_kg=self.plant_extra
        )
        gate, logs = bench.run_bench(arm, self.payload, change, say)
        rows = bench.bench_rows(arm, logs)
        result = bench.ArmBenchResult(
            gate=gate,
            rows=rows,
            recovery=bench.recoveries(rows),
            faults=[f"{key}: {log.fault}" for key, log in logs.items() if log.fault],
            versions=installed_versions(),
        )
        text = bench_text(result)

        def fill(folder: RunFolder) -> None:
            from scenarios.studies.so101.plots import bench_figures

            _write(folder, result, text)
            folder.draw(bench_figures(arm, logs))

        saved = leave_folder(path, fill)
        return max(saved, _finish(result, text, result.faults, as_json=self.json))


class ArmServo(Command, frozen=True, kw_only=True, tag=True):
    """Why the estimator fails on servos, cause by cause, and what works there."""

    payload: tuple[float, ...] = (0.09, 0.18)
    """Masses of the box in the jaws besides none [kg]."""
    seed: int = 0
    """Seed of the noise of the currents, and of the servos of `--twins`."""
    twins: int = 0
    """Also run the moving estimators on so many arms with other servos and gears."""
    json: Json = False
    out: Folder = None
    """Folder for the files, empty or new (default: runs/TIMESTAMP-so101-servo)."""
    no_files: NoFiles = False

    def act(self) -> int:
        """Run the study."""
        with ending_at_once():
            from scenarios.studies.so101.designs import design_rows
            from scenarios.studies.so101.sensitivity import sensitivities
            from scenarios.studies.so101.servo import ArmServoResult, ServoStudy
            from scenarios.studies.so101.tables import servo_text
        path = asked_path(self, "so101-servo")
        self._check()
        study = ServoStudy(self.payload, self.seed, say)
        causes = study.causes()
        scale, readings = study.weigh()
        servo, servos = study.calibrate()
        tracking = study.track(servo, readings)
        found = study.compare_designs(servo)
        heaviest_kg = max(study.payloads_kg, default=0.0)
        result = ArmServoResult(
            gate=study.gate,
            causes=causes,
            scale=scale,
            servos=servos,
            tracking=tracking,
            designs=design_rows(found, study.payloads_kg, self.twins, self.seed, say),
            sensitivity=sensitivities(study.arm, servo, heaviest_kg),
            twins=self.twins,
            faults=study.faults,
            versions=installed_versions(),
        )
        text = servo_text(result)

        def fill(folder: RunFolder) -> None:
            from scenarios.studies.so101.plots import servo_figures

            _write(folder, result, text)
            folder.draw(servo_figures(study.arm, study.shown, tracking))

        saved = leave_folder(path, fill)
        return max(saved, _finish(result, text, result.faults, as_json=self.json))

    def _check(self) -> None:
        """Refuse numbers out of range.

        Raises:
            ScenarioError: One is.
        """
        if not 0 <= self.twins <= MAX_TWINS:
            raise ScenarioError(
                f"--twins {self.twins}: must be within 0 and {MAX_TWINS}"
            )
        if self.seed < 0:
            raise ScenarioError(f"--seed {self.seed}: must be >= 0")


class ArmCalibrate(Command, frozen=True, kw_only=True, tag=True):
    """Fit the line from true masses to raw readings, with its statistics."""

    points: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """CSV file with the columns true_kg and raw_kg."""
    map: Annotated[tuple[float, ...], told("KG")] = ()
    """Raw readings to map with the fitted line [kg]."""
    json: Json = False

    def act(self) -> int:
        """Fit the line."""
        with ending_at_once():
            from scenarios.studies.so101.calibrate import calibrate_points
            from scenarios.studies.so101.tables import calibration_text
        result = calibrate_points(Path(self.points), self.map)
        return print_result(result, calibration_text(result), as_json=self.json)


class ArmDrive(Command, frozen=True, kw_only=True, tag=True):
    """Drive a real arm through the task; it moves."""

    port: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PORT")]
    """Serial port of the servo bus, or `simulated` for servos on a pseudo-terminal."""
    controller: Literal["pd", "computed_torque"] = "computed_torque"
    """What computes the torques."""
    payload: float = 0.0
    """What the model believes is in the jaws [kg]."""
    calibration: File = None
    """LeRobot calibration file of this arm; only simulated servos do without."""
    timeout: Seconds = None
    """Time for the servos' answers a period [s] (default: 0.0035; simulated: 0.5)."""
    home: float = 4.0
    """Time to move from where the arm is to zero [s]."""
    release: bool = False
    """Switch the torque off at the end; the arm falls. Otherwise it holds."""
    json: Json = False
    out: Folder = None
    """Folder for the log, empty or new (default: runs/TIMESTAMP-so101-drive)."""
    no_files: NoFiles = False

    def act(self) -> int:
        """Drive the arm."""
        with ending_at_once():
            from scenarios.studies.so101 import drive
        path = asked_path(self, "so101-drive")
        task = drive.DriveTask(
            port=self.port,
            controller=self.controller,
            payload_kg=self.payload,
            calibration=None if self.calibration is None else Path(self.calibration),
            timeout_s=self.timeout,
            home_s=self.home,
            release=self.release,
        )
        result, log = drive.drive(task)
        text = drive.drive_text(result)

        def fill(folder: RunFolder) -> None:
            _write(folder, result, text)
            folder.write_text("log.csv", drive.log_csv(log))

        saved = leave_folder(path, fill)
        faults = [] if result.fault is None else [result.fault]
        return max(saved, _finish(result, text, faults, as_json=self.json))


class ArmJitter(Command, frozen=True, kw_only=True, tag=True):
    """How late the arm's 200 Hz loop is woken on this machine."""

    period: float = 0.005
    """Time between wake-ups [s]."""
    cycles: int = 2000
    """Number of wake-ups."""
    priority: int = 80
    """Priority under SCHED_FIFO, 1 to 99; what is refused is said."""
    json: Json = False

    def act(self) -> int:
        """Measure."""
        with ending_at_once():
            from scenarios.studies.so101.jitter import run_jitter
            from scenarios.studies.so101.tables import jitter_text
        result = run_jitter(self.period, self.cycles, self.priority)
        return print_result(result, jitter_text(result), as_json=self.json)


class So101(Command, frozen=True, kw_only=True):
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

    def act(self) -> int:
        """Run the command that was asked for."""
        return self.command.act()


def _write(folder: RunFolder, result: msgspec.Struct, text: str) -> None:
    folder.write_json("metrics.json", result)
    folder.write_text("table.md", text + "\n")


def _finish(
    result: msgspec.Struct, text: str, faults: list[str], *, as_json: bool
) -> int:
    printed = print_result(result, text, as_json=as_json)
    for fault in faults:
        say(f"ended badly: {fault}")
    return max(printed, EXIT_BAD_END if faults else EXIT_OK)
