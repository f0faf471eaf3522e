"""The simulated servos: each fault does what it says, and only that."""

from __future__ import annotations

import numpy as np
import pytest

from wbmpc.arm.description import Arm
from wbmpc.arm.mujoco_arm import MujocoArm
from wbmpc.arm.servo_arm import COUNT_RAD, ServoArm, ServoMeasurement
from wbmpc.arm.servo_faults import NO_FAULTS, ServoFaults, only
from wbmpc.errors import UnknownNameError

ZERO = np.zeros(6)
POSE = np.array([0.3, 0.2, -0.4, 0.1, 0.2, 0.0])


def test_counts_are_those_of_the_data_sheet() -> None:
    """One count reads as 0.307 rad/s and 61.4 rad/s^2 at 200 Hz."""
    assert COUNT_RAD / 0.005 == pytest.approx(0.307, abs=5e-4)
    assert COUNT_RAD / 0.005**2 == pytest.approx(61.4, abs=0.05)
    assert 0.028 * COUNT_RAD / 0.005**2 == pytest.approx(1.72, abs=5e-3)


def test_without_faults_it_is_a_torque_plant(arm: Arm) -> None:
    """Finer steps of the simulator, no other difference."""
    servo, motors = ServoArm(arm, faults=NO_FAULTS), MujocoArm(arm)
    servo.reset(POSE)
    motors.reset(POSE)
    torque = np.array([0.1, -0.8, -0.5, -0.1, 0.1, 0.0])
    for _ in range(40):
        a, b = servo.step(torque, ZERO), motors.step(torque)
    assert a.time_s == pytest.approx(b.time_s) == pytest.approx(0.2)
    assert a.q == pytest.approx(b.q, abs=3e-4)
    assert a.v == pytest.approx(b.v, abs=2e-3)


def test_encoder_gives_counts_and_their_differences(arm: Arm) -> None:
    servo = ServoArm(arm, faults=only("encoder"))
    before = servo.reset(POSE)
    for _ in range(20):
        now = servo.step(np.full(6, 0.3), ZERO)
        counts = now.q / COUNT_RAD
        assert counts == pytest.approx(np.round(counts), abs=1e-6)
        assert now.v == pytest.approx((now.q - before.q) / 0.005)
        before = now
    assert np.abs(now.q - servo.true_q).max() <= COUNT_RAD


def test_a_torque_becomes_an_offset_with_a_clamp(arm: Arm) -> None:
    servo = ServoArm(arm, faults=only("position_bridge"))
    servo.reset(ZERO)
    now = servo.step(np.array([0.0, 0.9, 0.55, 0.0, 9.0, 0.0]), POSE)
    offset = now.goal_rad - POSE
    assert offset[[1, 2]] == pytest.approx([0.01, 0.05], abs=0.5 * COUNT_RAD)
    stiff = servo.step(np.array([0.0, 0.0, 9.0, 0.0, 0.0, 0.0]), POSE)
    assert stiff.goal_rad[2] - POSE[2] == pytest.approx(0.12, abs=0.5 * COUNT_RAD)


def test_servos_hold_a_pose_and_sag_under_a_load(arm: Arm) -> None:
    sag = []
    for mass in (0.0, 0.2):
        servo = ServoArm(arm, payload_kg=mass)
        now = servo.reset(POSE)
        for _ in range(100):
            now = servo.step(ZERO, POSE)
        assert np.abs(now.v).max() < 1e-9
        sag.append(float(servo.true_q[2] - POSE[2]))
    assert 0.0 < sag[0] < sag[1] < 0.12


def test_a_softer_servo_sags_more(arm: Arm) -> None:
    errors = []
    for ratio in (1.0, 0.5):
        servo = ServoArm(arm, stiffness_ratio=np.full(6, ratio))
        servo.reset(POSE)
        errors.append(abs(float(servo.true_q[2] - POSE[2])))
    assert errors[1] > 1.5 * errors[0]


def test_time_on_the_bus_delays_the_command(arm: Arm) -> None:
    """The joint that is read first is read earliest."""
    now = {}
    for name in ("bus_time", None):
        servo = ServoArm(arm, faults=only(name) if name else NO_FAULTS)
        servo.reset(ZERO)
        for _ in range(10):
            now[name] = servo.step(np.full(6, 1.5), ZERO)
    late = now[None].q - now["bus_time"].q
    assert (late[:5] > 0.0).all()


def test_friction_stops_small_torques(arm: Arm) -> None:
    moved = []
    for faults in (NO_FAULTS, only("friction")):
        servo = ServoArm(arm, faults=faults)
        servo.reset(ZERO)
        for _ in range(40):
            now = servo.step(np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.0]), ZERO)
        moved.append(float(now.q[0]))
    assert moved[0] > 0.01 and abs(moved[1]) < 1e-3


def test_currents_are_seeded_steps(arm: Arm) -> None:
    runs = []
    for seed in (0, 0, 1):
        servo = ServoArm(arm, payload_kg=0.2, seed=seed)
        servo.reset(POSE)
        runs.append(np.array([servo.step(ZERO, POSE).current_A for _ in range(50)]))
    assert np.array_equal(runs[0], runs[1]) and not np.array_equal(runs[0], runs[2])
    steps = runs[0] / arm.settings.servo.current_lsb_A
    assert steps == pytest.approx(np.round(steps), abs=1e-6)
    assert runs[0][:, 1].mean() < -0.05  # the shoulder carries the arm


def test_a_bad_torque_stops_it_where_it_is(arm: Arm) -> None:
    servo = ServoArm(arm)
    servo.reset(ZERO)
    before = servo.step(ZERO, ZERO)
    now = servo.step(np.full(6, np.nan), ZERO)
    assert servo.fault is not None and "not finite" in servo.fault
    assert np.array_equal(now.q, before.q) and isinstance(now, ServoMeasurement)


def test_faults_are_found_by_name() -> None:
    assert only() == NO_FAULTS
    assert only("encoder").encoder and not only("encoder").friction
    assert ServoFaults() != NO_FAULTS
    with pytest.raises(UnknownNameError, match="encoder"):
        only("encoders")
