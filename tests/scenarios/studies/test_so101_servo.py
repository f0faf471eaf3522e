"""The arm on servos: the motion RLS collapses, weighing and the fix do not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ekf.payload.affine_calibration import fit_affine
from ekf.payload.servo_torque import ServoTorque
from models.so101 import load_so101
from scenarios.cli import main
from scenarios.errors import ScenarioError
from scenarios.studies.so101.estimates import FrozenMass, MotionMass, ServoMass
from scenarios.studies.so101.holding import StaticScale, hold_pose
from scenarios.studies.so101.moving import OURS, calibrate_servos, designs
from scenarios.studies.so101.servo import ServoStudy, record_run
from scenarios.studies.so101.task import Controllers, run_task, settled_errors, target
from wbmpc.arm.description import Arm
from wbmpc.arm.servo_arm import ServoArm
from wbmpc.arm.servo_faults import only


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm.load()


@pytest.fixture(scope="module")
def servo(arm: Arm) -> ServoTorque:
    return calibrate_servos(arm, ServoArm(arm))


@pytest.mark.parametrize("payload_kg", [0.09, 0.18])
def test_motion_rls_collapses(arm: Arm, payload_kg: float) -> None:
    """To at most 15 % of the payload, so tracking is that of the empty model."""
    make = Controllers.of_servos(arm)
    mass = MotionMass(arm)
    plant = ServoArm(arm, payload_kg=payload_kg)
    adaptive = run_task(arm, plant, make.adaptive(mass))
    assert 0.0 <= mass.mass_kg <= 0.15 * payload_kg
    empty = run_task(arm, plant, make.computed_torque())
    rms = [np.sqrt(np.mean(settled_errors(arm, log) ** 2)) for log in (adaptive, empty)]
    assert rms[0] == pytest.approx(rms[1], rel=0.07)


def test_each_cause_alone(arm: Arm) -> None:
    """Of 90 g: the bridge takes most, counts all, friction and the bus little."""
    raw = {}
    for name in ("position_bridge", "encoder", "friction", "bus_time"):
        make = Controllers.of_motors(arm)
        if name == "position_bridge":
            make = Controllers.of_servos(arm)
        mass = MotionMass(arm)
        plant = ServoArm(arm, payload_kg=0.09, faults=only(name))
        run_task(arm, plant, make.adaptive(mass))
        raw[name] = mass.raw_mass_kg
    assert raw["encoder"] < -0.1
    assert 0.0 < raw["position_bridge"] < 0.05
    assert 0.07 < raw["friction"] < raw["bus_time"] < 0.09


def test_armature_makes_counts_worse() -> None:
    """The phantom torque of a count is inertia times acceleration."""
    raw = []
    for armature in (0.0, 0.028):
        arm = Arm(load_so101({"plant": {"armature_kgm2": armature}}))
        mass = MotionMass(arm)
        plant = ServoArm(arm, payload_kg=0.09, faults=only("encoder"))
        run_task(arm, plant, Controllers.of_motors(arm).adaptive(mass))
        raw.append(mass.raw_mass_kg)
    assert raw[1] < 1.5 * raw[0] < 0.0


def test_servos_are_calibrated_on_the_empty_arm(arm: Arm, servo: ServoTorque) -> None:
    """Joints that carry weight, within 4 %; the gripper does not move."""
    settings = arm.settings.servo
    true = np.array(settings.stiffness_Nm_per_rad) * settings.true_stiffness_ratio
    assert servo.stiffness[1:4] == pytest.approx(true[1:4], rel=0.04)
    friction = arm.settings.plant.friction_Nm + settings.gearbox_friction_Nm
    assert servo.coulomb[1:4] == pytest.approx(np.full(3, friction), abs=0.015)
    assert np.isinf(servo.sigma[5])


@pytest.mark.parametrize("payload_kg", [0.0, 0.09, 0.18, 0.27])
def test_moving_estimator_works_on_servos(
    arm: Arm, servo: ServoTorque, payload_kg: float
) -> None:
    """Within 5 g after one move, where the motion RLS is off by more than 100 g."""
    log = record_run(arm, ServoArm(arm, payload_kg=payload_kg))
    found = {name: d(log)[-1] for name, d in designs(arm, servo).items()}
    assert found[OURS] == pytest.approx(payload_kg, abs=0.005)
    worse = [name for name in found if name.startswith("filtered") and name != OURS]
    assert all(
        abs(found[name] - payload_kg) > abs(found[OURS] - payload_kg) for name in worse
    )
    assert abs(found["motion RLS, commanded torque"] - payload_kg) > 0.1


def test_moving_estimator_in_the_loop(arm: Arm, servo: ServoTorque) -> None:
    make, rms = Controllers.of_servos(arm), []
    for controller in (make.computed_torque(), make.adaptive(ServoMass(arm, servo))):
        log = run_task(arm, ServoArm(arm, payload_kg=0.18), controller)
        rms.append(float(np.sqrt(np.mean(settled_errors(arm, log)[:, :4] ** 2))))
    assert rms[1] < 0.3 * rms[0]


def test_static_and_calibrated_is_within_10_g(arm: Arm) -> None:
    scale = StaticScale(arm, target(arm))
    scale.tare(ServoArm(arm))
    true = (0.0, 0.1, 0.25)
    raw = [scale.raw_mass_kg(ServoArm(arm, payload_kg=m, seed=1)) for m in true]
    line = fit_affine(true, raw).calibration
    assert line.slope == pytest.approx(2.3, abs=0.1)
    reading = scale.raw_mass_kg(ServoArm(arm, payload_kg=0.18, seed=2))
    assert FrozenMass(arm, reading, line).mass_kg == pytest.approx(0.18, abs=0.01)
    assert FrozenMass(arm, reading).mass_kg > 0.35


def test_calibration_comes_before_the_projection(arm: Arm) -> None:
    """Raw 0.628 kg is 0.277 kg, not what 0.5 kg would map to."""
    line = fit_affine((0.0, 0.2), (-0.01248, 0.44995)).calibration
    assert FrozenMass(arm, 0.62816, line).mass_kg == pytest.approx(0.277, abs=1e-3)
    assert FrozenMass(arm, float("nan"), line).mass_kg == 0.0
    assert FrozenMass(arm, -1.0, line).mass_kg == 0.0


def test_a_plant_that_stops_ends_the_weighing(arm: Arm) -> None:
    class Stops(ServoArm):
        @property
        def fault(self) -> str | None:
            return "bus: port lost"

    with pytest.raises(ScenarioError, match="weighing stopped: bus: port lost"):
        hold_pose(arm, Stops(arm), target(arm))


@pytest.mark.slow
def test_servo_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "servo"
    argv = ["so101", "servo", "--json", "--out", str(out), "--twins", "2"]
    assert main(argv) == 0
    result = json.loads(capsys.readouterr().out)
    tracking = {(r["payload_kg"], r["controller"]): r for r in result["tracking"]}
    for mass in (0.09, 0.18):
        rms = {name: row["rms_rad"] for (m, name), row in tracking.items() if m == mass}
        assert rms["CT, static calibrated"] < rms["CT, empty model"] < rms["PD"]
        assert rms["CT, empty model"] < rms["CT, static raw"]
        calibrated = tracking[mass, "CT, static calibrated"]["mass_kg"]
        assert calibrated == pytest.approx(mass, abs=0.01)
    ours = next(d for d in result["designs"] if d["design"] == OURS)
    assert ours["worst_error_kg"] < 0.02
    assert (out / "plots" / "moving_estimators.png").is_file()


def test_the_gate_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the study runs on an arm that is not the model's."""
    from scenarios.studies.so101 import servo as module
    from wbmpc.errors import ModelMismatchError

    def refuse(*_: object) -> None:
        raise ModelMismatchError("plant and controller differ")

    monkeypatch.setattr(module, "pass_gate", refuse)
    with pytest.raises(ModelMismatchError):
        ServoStudy((0.09,), 0, lambda _: None)
