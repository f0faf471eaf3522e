"""The driver against servos on a pseudo-terminal, well and broken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import serial

from wbmpc.arm.description import Arm
from wbmpc.arm.feetech import hardware_arm, registers
from wbmpc.arm.feetech.bus import BusError, FeetechBus
from wbmpc.arm.feetech.hardware_arm import MAX_FAULTS_IN_A_ROW, HardwareArm
from wbmpc.arm.feetech.joint_counts import JointCounts
from wbmpc.arm.feetech.simulated_bus import SimulatedBus
from wbmpc.arm.feetech.status import BusFault, checksum, parse_answers
from wbmpc.arm.interface import ArmPlant
from wbmpc.arm.servo_arm import COUNT_RAD

IDS = (1, 2, 3, 4, 5, 6)
ZERO = np.zeros(6)
TIMEOUT_S = 0.3
"""Generous: a busy machine is not a broken bus."""


@pytest.fixture
def simulated() -> Iterator[SimulatedBus]:
    with SimulatedBus(IDS) as bus:
        yield bus


@pytest.fixture
def plant(arm: Arm, simulated: SimulatedBus) -> Iterator[HardwareArm]:
    bus = FeetechBus(simulated.port, timeout_s=TIMEOUT_S)
    plant = HardwareArm(arm, bus, counts=JointCounts.centred(IDS), home_s=0.05)
    plant.reset(ZERO)
    yield plant
    plant.close()


def frame(servo: int, data: bytes, error: int = 0) -> bytes:
    body = bytes([servo, len(data) + 2, error]) + data
    return b"\xff\xff" + body + bytes([checksum(body)])


def goals(simulated: SimulatedBus) -> list[int]:
    return [simulated.servos[i].goal for i in IDS]


def test_registers_are_sign_and_magnitude() -> None:
    assert registers.signed(b"\x05\x80") == -5
    assert registers.signed(registers.two_bytes(5)) == 5
    assert registers.complaints(0x24) == "overheating, overload"


def test_answers_are_found_among_noise() -> None:
    raw = b"\x00\xff" + frame(1, b"ab") + b"\xff\xff\x09" + frame(2, b"cd", 32)
    answers, faults = parse_answers(raw, (1, 2), 2)
    assert not faults
    assert answers[1].data == b"ab" and answers[2].error == 32


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"", BusFault.TIMEOUT),
        (frame(1, b"ab"), BusFault.LOST),
        (frame(1, b"ab") + frame(2, b"cd")[:-2], BusFault.TORN),
        (frame(1, b"ab") + frame(2, b"cd")[:-1] + b"\x00", BusFault.CHECKSUM),
        (frame(2, b"cd")[:5] + frame(1, b"ab"), BusFault.TORN),
        (frame(1, b"ab") + frame(3, b"cd"), BusFault.LOST),
    ],
)
def test_what_is_wrong_has_a_name(raw: bytes, fault: BusFault) -> None:
    answers, faults = parse_answers(raw, (1, 2), 2)
    assert faults[2] is fault and 2 not in answers
    assert raw == b"" or answers[1].data == b"ab"


def test_a_frame_with_a_lost_byte_does_not_cost_the_next() -> None:
    first = frame(1, b"abcd")
    raw = first[:6] + first[7:] + frame(2, b"efgh")
    answers, faults = parse_answers(raw, (1, 2), 4)
    assert answers[2].data == b"efgh" and set(faults) == {1}


def test_counts_and_angles_are_inverse() -> None:
    counts = JointCounts.centred(IDS)
    angles = np.linspace(-1.5, 1.5, 6)
    back = counts.angles(counts.counts(angles).astype(float))
    assert back == pytest.approx(angles, abs=0.5 * COUNT_RAD)
    assert counts.counts(np.full(6, 99.0)).max() == 4095


def test_measures_in_the_arms_units(
    plant: HardwareArm, simulated: SimulatedBus
) -> None:
    interface: ArmPlant = plant
    simulated.servos[2].current = -7
    now = interface.step(ZERO, ZERO)
    assert now.q == pytest.approx(ZERO, abs=COUNT_RAD)
    assert plant._last.current_A[1] == pytest.approx(-7 * 0.0065)
    assert all(servo.torque for servo in simulated.servos.values())
    assert not plant.bus.counts and plant.fault is None


def test_goals_follow_the_reference_and_the_torque(plant: HardwareArm) -> None:
    wanted = np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
    torque = np.array([0.0, 0.9, 99.0, 0.0, 0.0, 0.0])
    for _ in range(60):
        now = plant.step(torque, wanted)
    expected = np.array([0.1, 0.01, 0.12, 0.0, 0.0, 0.0])
    assert now.goal_rad == pytest.approx(expected, abs=COUNT_RAD)
    assert now.q == pytest.approx(expected, abs=3 * COUNT_RAD)
    assert now.time_s == pytest.approx(60 * 0.005)


@pytest.mark.parametrize(
    "fault",
    [
        BusFault.TIMEOUT,
        BusFault.LOST,
        BusFault.CHECKSUM,
        BusFault.TORN,
        BusFault.IMPLAUSIBLE,
    ],
)
def test_one_bad_reading_holds_the_last_command(
    plant: HardwareArm, simulated: SimulatedBus, fault: BusFault
) -> None:
    wanted = np.full(6, 0.05)
    good = plant.step(ZERO, wanted)
    simulated.fail(fault, None if fault is BusFault.TIMEOUT else 3)
    held = goals(simulated)
    bad = plant.step(ZERO, wanted)
    assert np.array_equal(bad.q, good.q) and bad.time_s > good.time_s
    assert plant.bus.counts[fault] == 1
    plant.step(ZERO, np.full(6, 0.3))  # computed from the stale reading: not sent
    assert goals(simulated) == held and plant.held_periods == 1
    plant.step(ZERO, np.full(6, 0.1))
    assert goals(simulated) != held and plant.fault is None


def test_many_bad_readings_end_control_with_a_name(
    plant: HardwareArm, simulated: SimulatedBus
) -> None:
    simulated.fail(BusFault.CHECKSUM, 3, times=2 * MAX_FAULTS_IN_A_ROW)
    plant.step(ZERO, np.full(6, 0.05))
    held = goals(simulated)
    for _ in range(MAX_FAULTS_IN_A_ROW + 2):
        now = plant.step(np.full(6, 0.5), np.full(6, 0.2))
    assert plant.fault is not None
    assert "servo 3 (elbow_flex): wrong checksum" in plant.fault
    assert plant.bus.counts[BusFault.CHECKSUM] == MAX_FAULTS_IN_A_ROW
    assert np.isfinite(now.q).all()
    assert goals(simulated) == held
    assert all(servo.torque for servo in simulated.servos.values())


def test_a_position_outside_of_one_turn_is_told_of_its_joint_alone(
    arm: Arm, plant: HardwareArm, simulated: SimulatedBus
) -> None:
    simulated.fail(BusFault.IMPLAUSIBLE, 3, times=2 * MAX_FAULTS_IN_A_ROW)
    for _ in range(MAX_FAULTS_IN_A_ROW):
        plant.step(ZERO, ZERO)
    told = "servo 3 (elbow_flex): position outside one turn"
    assert plant.fault is not None and told in plant.fault
    assert plant.fault.count("servo ") == 1
    with pytest.raises(BusError) as error:
        HardwareArm(arm, plant.bus, counts=JointCounts.centred(IDS))
    assert str(error.value).count("servo ") == 1 and told in str(error.value)


def test_a_vanished_port_ends_control(
    plant: HardwareArm, simulated: SimulatedBus
) -> None:
    before = plant.step(ZERO, ZERO)
    simulated.fail(BusFault.PORT)
    for _ in range(5):
        now = plant.step(ZERO, ZERO)
    assert plant.fault is not None and simulated.port in plant.fault
    assert "lost" in plant.fault or "no answer" in plant.fault
    assert plant.bus.counts[BusFault.PORT] >= 1
    assert np.array_equal(now.q, before.q)


def test_a_write_that_does_not_get_through_is_no_lost_port(
    plant: HardwareArm, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stuck(data: bytes) -> int:
        raise serial.SerialTimeoutException(f"{len(data)} bytes left")

    good = plant.step(ZERO, ZERO)
    monkeypatch.setattr(plant.bus._line.ser, "write", stuck)
    bad = plant.step(ZERO, ZERO)
    assert np.array_equal(bad.q, good.q) and not plant.bus.lost
    assert plant.bus.counts[BusFault.WRITE] == 2 and plant.fault is None
    monkeypatch.undo()
    plant.step(ZERO, ZERO)
    plant.step(ZERO, ZERO)
    assert plant.held_periods == 1


def test_a_servos_own_error_is_named(
    plant: HardwareArm, simulated: SimulatedBus
) -> None:
    simulated.fail(BusFault.SERVO, 2)
    plant.step(ZERO, ZERO)
    assert plant.complaint == "servo 2 (shoulder_lift): overload"
    assert plant.bus.counts[BusFault.SERVO] == 1 and plant.fault is None


def test_a_bad_torque_is_not_sent(plant: HardwareArm, simulated: SimulatedBus) -> None:
    plant.step(ZERO, np.full(6, 0.05))
    held = goals(simulated)
    plant.step(np.full(6, np.nan), ZERO)
    assert goals(simulated) == held and plant.held_periods == 1


def test_release_switches_the_torque_off(
    plant: HardwareArm, simulated: SimulatedBus
) -> None:
    assert plant.release() is None
    plant.step(ZERO, ZERO)
    assert not any(servo.torque for servo in simulated.servos.values())


def test_a_missing_servo_is_named_at_the_start(
    arm: Arm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware_arm, "MAX_FAULTS_IN_A_ROW", 2)
    with SimulatedBus(IDS[:-1]) as simulated:
        bus = FeetechBus(simulated.port, timeout_s=0.02)
        with pytest.raises(BusError, match=r"servo 6 \(gripper\): no answer"):
            HardwareArm(arm, bus, counts=JointCounts.centred(IDS))
        bus.close()


def test_ports_that_cannot_be_opened(tmp_path: Path) -> None:
    for port in (str(tmp_path / "ttyACM9"), str(tmp_path)):
        with pytest.raises(BusError, match=f"port {port}: cannot be opened"):
            FeetechBus(port)
    with SimulatedBus(IDS) as simulated:
        with pytest.raises(BusError, match="12345 baud"):
            FeetechBus(simulated.port, baud=12345)
