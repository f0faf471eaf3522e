"""What `wbmpc so101` does."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from scenarios.cli import EXIT_BAD_END, EXIT_OK, print_result, say, tell_folder
from scenarios.commands.so101_options import (
    ArmBench,
    ArmCalibrate,
    ArmDrive,
    ArmJitter,
    ArmServo,
    So101,
)
from scenarios.errors import ScenarioError
from scenarios.records.run_folder import RunFolder, asked_path
from scenarios.records.versions import installed_versions
from scenarios.studies.so101.bench import (
    ArmBenchResult,
    PlantChange,
    bench_rows,
    recoveries,
    run_bench,
)
from scenarios.studies.so101.calibrate import calibrate_points
from scenarios.studies.so101.drive import drive, drive_text, log_csv
from scenarios.studies.so101.jitter import run_jitter
from scenarios.studies.so101.sensitivity import sensitivities
from scenarios.studies.so101.servo import (
    ArmServoResult,
    DesignRow,
    ServoStudy,
)
from scenarios.studies.so101.tables import (
    bench_text,
    calibration_text,
    jitter_text,
    servo_text,
)
from wbmpc.arm.description import Arm

MAX_TWINS = 1000


def so101(options: So101) -> int:
    """Run the command that was asked for.

    Raises:
        ModelsError: Bad input, or a gate that refuses.
    """
    command = options.command
    if isinstance(command, ArmBench):
        return _bench(command)
    if isinstance(command, ArmServo):
        return _servo(command)
    if isinstance(command, ArmCalibrate):
        return _calibrate(command)
    if isinstance(command, ArmDrive):
        return _drive(command)
    return _jitter(command)


def _bench(options: ArmBench) -> int:
    path, saved = asked_path(options, "so101-bench"), EXIT_OK
    arm = Arm.load()
    change = PlantChange(
        armature_kgm2=options.plant_armature, extra_kg=options.plant_extra
    )
    gate, logs = run_bench(arm, options.payload, change, say)
    rows = bench_rows(arm, logs)
    result = ArmBenchResult(
        gate=gate,
        rows=rows,
        recovery=recoveries(rows),
        faults=[f"{key}: {log.fault}" for key, log in logs.items() if log.fault],
        versions=installed_versions(),
    )
    text = bench_text(result)
    if path is not None:
        from scenarios.studies.so101.plots import bench_figures

        with RunFolder(path) as folder:
            _write(folder, result, text)
            folder.draw(bench_figures(arm, logs))
        saved = tell_folder(folder, path)
    return max(saved, _finish(result, text, result.faults, as_json=options.json))


def _servo(options: ArmServo) -> int:
    path, saved = asked_path(options, "so101-servo"), EXIT_OK
    if not 0 <= options.twins <= MAX_TWINS:
        raise ScenarioError(
            f"--twins {options.twins}: must be within 0 and {MAX_TWINS}"
        )
    if options.seed < 0:
        raise ScenarioError(f"--seed {options.seed}: must be >= 0")
    study = ServoStudy(options.payload, options.seed, say)
    causes = study.causes()
    scale, readings = study.weigh()
    servo, servos = study.calibrate()
    tracking = study.track(servo, readings)
    found = study.compare_designs(servo)
    result = ArmServoResult(
        gate=study.gate,
        causes=causes,
        scale=scale,
        servos=servos,
        tracking=tracking,
        designs=_designs(found, study, options),
        sensitivity=sensitivities(
            study.arm, servo, max(study.payloads_kg, default=0.0)
        ),
        twins=options.twins,
        faults=study.faults,
        versions=installed_versions(),
    )
    text = servo_text(result)
    if path is not None:
        from scenarios.studies.so101.plots import servo_figures

        with RunFolder(path) as folder:
            _write(folder, result, text)
            folder.draw(servo_figures(study.arm, study.shown, tracking))
        saved = tell_folder(folder, path)
    return max(saved, _finish(result, text, result.faults, as_json=options.json))


def _designs(
    found: dict[str, dict[str, float]], study: ServoStudy, options: ArmServo
) -> list[DesignRow]:
    errors: dict[str, np.ndarray] = {}
    if options.twins:
        from scenarios.studies.so101.twins import twin_errors_kg

        say(f"{options.twins} other arms")
        masses = (0.0, *study.payloads_kg)
        errors = twin_errors_kg(masses, options.twins, options.seed)
    return [
        DesignRow(
            design=name,
            raw_mass_kg=masses_kg,
            rms_error_kg=_rms(errors.get(name)),
            worst_error_kg=_largest(errors.get(name)),
        )
        for name, masses_kg in found.items()
    ]


def _rms(errors: np.ndarray | None) -> float | None:
    return None if errors is None else float(np.sqrt(np.mean(errors**2)))


def _largest(errors: np.ndarray | None) -> float | None:
    return None if errors is None else float(np.abs(errors).max())


def _calibrate(options: ArmCalibrate) -> int:
    result = calibrate_points(Path(options.points), options.map)
    return print_result(result, calibration_text(result), as_json=options.json)


def _drive(options: ArmDrive) -> int:
    path, saved = asked_path(options, "so101-drive"), EXIT_OK
    result, log = drive(options)
    text = drive_text(result)
    if path is not None:
        with RunFolder(path) as folder:
            _write(folder, result, text)
            folder.write_text("log.csv", log_csv(log))
        saved = tell_folder(folder, path)
    faults = [] if result.fault is None else [result.fault]
    return max(saved, _finish(result, text, faults, as_json=options.json))


def _jitter(options: ArmJitter) -> int:
    result = run_jitter(options.period, options.cycles, options.priority)
    return print_result(result, jitter_text(result), as_json=options.json)


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
