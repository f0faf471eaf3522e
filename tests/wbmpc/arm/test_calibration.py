"""Calibration files: read, compared with the URDF and with what servos remember."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from so101_calibration import RANGES, calibration, written

from models.errors import SettingsError
from wbmpc.arm.description import Arm
from wbmpc.arm.feetech import registers, servo_memory
from wbmpc.arm.feetech.bus import BusError, FeetechBus
from wbmpc.arm.feetech.calibration import load_counts, read_ranges
from wbmpc.arm.feetech.hardware_arm import START_TOLERANCE, HardwareArm
from wbmpc.arm.feetech.joint_counts import JointCounts
from wbmpc.arm.feetech.servo_memory import CalibrationError
from wbmpc.arm.feetech.simulated_bus import SimulatedBus
from wbmpc.arm.feetech.status import BusFault
from wbmpc.arm.mujoco_arm import ArmStartError
from wbmpc.arm.servo_arm import COUNT_RAD

NAMES = tuple(RANGES)
REAL = [
    # As arms of owners have them, rounded: stops lie beyond the URDF's limits, grippers
    # open wider, a wrist is swept or not, an elbow was not homed in its middle.
    [(680, 3420), (830, 3220), (920, 3140), (850, 3210), (0, 4095), (1480, 2950)],
    [(740, 3460), (910, 3270), (150, 2330), (800, 3140), (70, 3890), (1460, 2900)],
    [(880, 3320), (760, 3350), (870, 3060), (800, 3150), (110, 3980), (1900, 3360)],
    [(750, 3230), (870, 3270), (860, 3050), (830, 3170), (0, 4095), (1900, 3130)],
]


@pytest.fixture
def good(arm: Arm, tmp_path: Path) -> JointCounts:
    return load_counts(written(tmp_path / "arm.json", calibration()), arm)


@pytest.fixture
def simulated(good: JointCounts) -> Iterator[SimulatedBus]:
    with SimulatedBus(good.ids, joints=good.joints) as bus:
        yield bus


@pytest.fixture
def bus(simulated: SimulatedBus) -> Iterator[FeetechBus]:
    bus = FeetechBus(simulated.port, timeout_s=0.3)
    yield bus
    bus.close()


def test_zeros_are_those_of_the_urdf(good: JointCounts, arm: Arm) -> None:
    """Middles, but for the gripper, which is closed at the URDF's lower limit."""
    zeros = good.counts(np.zeros(6))
    middles = [round(sum(RANGES[name]) / 2 + 1e-9) for name in NAMES[:5]]
    assert zeros[:5] == pytest.approx(middles, abs=1)
    assert zeros[5] == round(2030 + 0.174533 / COUNT_RAD)
    for end, limits in (
        (0, arm.model.lowerPositionLimit),
        (1, arm.model.upperPositionLimit),
    ):
        stops = np.array([float(RANGES[name][end]) for name in NAMES])
        close = np.arange(6) != 4  # the wrist rolls as far as it likes
        assert good.angles(stops)[close] == pytest.approx(limits[close], abs=0.005)


def test_a_gripper_that_is_mounted_the_other_way(arm: Arm, tmp_path: Path) -> None:
    table = calibration("gripper", drive_mode=1)
    counts = load_counts(written(tmp_path / "arm.json", table), arm)
    closed = counts.angles(np.array([2050.0, 2045, 2050, 2050, 2047, 3280]))
    assert closed[5] == pytest.approx(-0.174533)
    assert counts.counts(np.zeros(6))[5] == round(3280 - 0.174533 / COUNT_RAD)


def test_counts_fall_where_the_file_says_so(tmp_path: Path) -> None:
    table = calibration("elbow_flex", drive_mode=1, range_min=1000, range_max=2000)
    path = written(tmp_path / "arm.json", table)
    joints = read_ranges(path, ("shoulder_pan", "elbow_flex"))
    counts = JointCounts(joints)
    assert counts.ids == (1, 3)
    up = counts.angles(np.array([2051.0, 1501.0]))
    assert up == pytest.approx([COUNT_RAD, -COUNT_RAD])
    assert counts.counts(np.array([9.0, 9.0])).tolist() == [3300, 1000]
    assert counts.beyond(np.array([0.0, -9.0])).tolist() == [
        0,
        round(1500 + 9.0 / COUNT_RAD) - 2000,
    ]


@pytest.mark.parametrize("ranges", REAL)
def test_real_arms_are_believed(
    ranges: list[tuple[int, int]], arm: Arm, tmp_path: Path
) -> None:
    table = calibration()
    for name, (low, high) in zip(NAMES, ranges, strict=True):
        table[name] |= {"range_min": low, "range_max": high}
    load_counts(written(tmp_path / "arm.json", table), arm)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "wrist_roll"])
@pytest.mark.parametrize("ends", [(0, 4095), (5, 4083), (300, 3900)])
def test_a_range_across_the_seam(
    name: str, ends: tuple[int, int], arm: Arm, tmp_path: Path
) -> None:
    low, high = ends
    table = calibration(name, range_min=low, range_max=high)
    path = written(tmp_path / "arm.json", table)
    with pytest.raises(SettingsError, match="across the seam") as error:
        load_counts(path, arm)
    said = str(error.value)
    index = NAMES.index(name)
    limits = arm.model.lowerPositionLimit[index], arm.model.upperPositionLimit[index]
    assert said.startswith(f"{path}: {name}: range {low} to {high} is ")
    lower, upper = (f"{np.degrees(limit):.0f}" for limit in limits)
    assert f"({lower} to {upper})" in said


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "ends",
    [(2040, 2290), (2047, 2048), (2047, 3000), (1100, 2048)],
)
def test_a_joint_that_was_not_swept(
    name: str, ends: tuple[int, int], arm: Arm, tmp_path: Path
) -> None:
    """Not at all, or to one side only: its zero would be somewhere."""
    low, high = ends
    table = calibration(name, range_min=low, range_max=high)
    path = written(tmp_path / "arm.json", table)
    with pytest.raises(SettingsError, match="not swept from stop to stop") as error:
        load_counts(path, arm)
    assert f"{name}: range {low} to {high}" in str(error.value)


def test_zeros_are_not_believed_further_than_a_fifth_of_a_radian(
    arm: Arm, tmp_path: Path
) -> None:
    """A sweep that ends early on one side moves the middle by half of what it lacks."""
    low, high = RANGES["shoulder_lift"]
    for missing_rad, believed in ((0.35, True), (0.45, False)):
        ends = low, high - round(missing_rad / COUNT_RAD)
        table = calibration("shoulder_lift", range_min=ends[0], range_max=ends[1])
        path = written(tmp_path / "arm.json", table)
        if believed:
            load_counts(path, arm)
            continue
        with pytest.raises(SettingsError, match="shoulder_lift"):
            load_counts(path, arm)


OLDER = {
    "homing_offset": [2048, 3072, 3072, 2048, 2048, 2048],
    "drive_mode": [1, 0, 0, 1, 0, 0],
    "start_pos": [2035, 3024, 3056, 2014, 2060, 2032],
    "end_pos": [1083, 4112, 4125, 3088, 1060, 3043],
    "calib_mode": ["DEGREE"] * 5 + ["LINEAR"],
    "motor_names": list(NAMES),
}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "No such file"),
        ("{", "truncated"),
        ("", "truncated"),
        ("[]", "Expected `object`"),
        ("[" * 100_000, "calibration|Expected `object`"),
        (json.dumps(dict.fromkeys(NAMES, [])), "shoulder_pan: Expected `object`"),
        (json.dumps(OLDER), "older layout .*motor_names.*wrist_roll, gripper"),
        (json.dumps({"motors": calibration()}), "no joint shoulder_pan.*: motors"),
        (
            json.dumps({"shoulder_pan": calibration()["shoulder_pan"]}),
            "no joint shoulder_lift.*joints: shoulder_pan",
        ),
        (
            json.dumps({n: {**j, "id": 3} for n, j in calibration().items()}),
            "shoulder_pan and shoulder_lift have the same id 3",
        ),
    ],
)
def test_files_that_are_no_calibration(
    text: str | None, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "so101.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SettingsError, match=told) as error:
        read_ranges(path, NAMES)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"range_max": 5000}, "range_max 5000: must be within 0 and 4095, one turn"),
        ({"range_min": -12}, "range_min -12: must be within 0 and 4095, one turn"),
        ({"range_min": 4096}, "range_min 4096: must be"),
        ({"homing_offset": 2504}, "homing_offset 2504: must be within -2047 and 2047"),
        ({"homing_offset": -2048}, "homing_offset -2048: must be"),
        ({"id": 254}, "id 254: must be within 0 and 253"),
        ({"drive_mode": 2}, "drive_mode 2: must be"),
        ({"range_min": 3000, "range_max": 3000}, "range_min 3000 must be below"),
        ({"range_max": 2000.5}, "Expected `int`, got `float` - at `$.range_max`"),
        ({"id": "two"}, "Expected `int`, got `str` - at `$.id`"),
        ({"homing_offset": None}, "Expected `int`, got `null` - at `$.homing_offset`"),
    ],
)
def test_values_that_break_their_rule_are_named_with_their_joint(
    name: str, changes: dict[str, Any], told: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "so101.json", calibration(name, **changes))
    with pytest.raises(SettingsError) as error:
        read_ranges(path, NAMES)
    assert str(error.value).startswith(f"{path}: {name}: {told}")


@pytest.mark.parametrize("key", ["id", "range_min", "range_max", "homing_offset"])
def test_what_is_missing_is_named_with_its_joint(key: str, tmp_path: Path) -> None:
    table = calibration()
    del table["wrist_flex"][key]
    path = written(tmp_path / "so101.json", table)
    with pytest.raises(SettingsError, match=f"wrist_flex: .*`{key}`"):
        read_ranges(path, NAMES)


def test_a_byte_order_mark_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "so101.json"
    path.write_text("\ufeff" + json.dumps(calibration()))
    assert read_ranges(path, NAMES)[0].range_max == 3300


def test_offsets_are_sign_and_magnitude() -> None:
    for offset in (0, 5, -5, 2047, -2047):
        data = registers.with_sign(offset, registers.OFFSET_SIGN)
        assert registers.signed(data, registers.OFFSET_SIGN) == offset
    assert registers.with_sign(-1, registers.OFFSET_SIGN) == b"\x01\x08"


def test_servos_that_remember_the_calibration_are_driven(
    arm: Arm, good: JointCounts, simulated: SimulatedBus, bus: FeetechBus
) -> None:
    plant = HardwareArm(arm, bus, counts=good, home_s=0.1)
    plant.reset(np.zeros(6))
    now = plant.step(np.zeros(6), np.zeros(6))
    assert now.goal_rad == pytest.approx(np.zeros(6), abs=COUNT_RAD)
    assert simulated.servos[6].goal == 2144
    assert all(servo.torque for servo in simulated.servos.values())


@pytest.mark.parametrize("servo", [1, 6])
@pytest.mark.parametrize(
    ("address", "data", "told"),
    [
        (registers.HOMING_OFFSET, b"\x01\x00", "homing offset 1 and range"),
        (registers.MIN_POSITION, b"\x10\x00", "range 16 to"),
        (registers.MAX_POSITION, b"\xff\x0f", "to 4095, "),
        (registers.OPERATING_MODE, b"\x01", "in operating mode 1"),
    ],
)
def test_servos_of_another_arm_are_not_driven(
    arm: Arm,
    good: JointCounts,
    simulated: SimulatedBus,
    bus: FeetechBus,
    servo: int,
    address: int,
    data: bytes,
    told: str,
) -> None:
    simulated.servos[servo].write(address, data)
    with pytest.raises(CalibrationError) as error:
        HardwareArm(arm, bus, counts=good)
    said = str(error.value)
    assert told in said and f"servo {servo} ({NAMES[servo - 1]})" in said
    assert simulated.port in said
    assert address == registers.OPERATING_MODE or good.source in said
    assert_untouched(simulated)


def test_servos_as_they_leave_the_factory_are_not_driven(
    arm: Arm, good: JointCounts
) -> None:
    with SimulatedBus(good.ids) as simulated:
        bus = FeetechBus(simulated.port, timeout_s=0.3)
        with pytest.raises(CalibrationError, match="homing offset 0 and range 0 to"):
            HardwareArm(arm, bus, counts=good)
        bus.close()
        assert_untouched(simulated)


@pytest.mark.parametrize("fault", [BusFault.LOST, BusFault.CHECKSUM, BusFault.TORN])
def test_a_memory_that_is_read_badly_is_read_again(
    arm: Arm,
    good: JointCounts,
    simulated: SimulatedBus,
    bus: FeetechBus,
    fault: BusFault,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    simulated.fail(fault, 4, times=3)
    HardwareArm(arm, bus, counts=good)
    monkeypatch.setattr(servo_memory, "TRIES", 2)
    simulated.fail(fault, 4, times=2)
    names = dict(zip(good.ids, NAMES, strict=True))
    with pytest.raises(BusError, match=r"servo 4 \(wrist_flex\)"):
        servo_memory.check_memory(bus, good, names)
    assert_untouched(simulated)


@pytest.mark.parametrize(("servo", "beyond"), [(2, -400), (5, 0), (6, -34), (6, 500)])
def test_an_arm_outside_of_its_ranges_is_not_held(
    arm: Arm,
    good: JointCounts,
    simulated: SimulatedBus,
    bus: FeetechBus,
    servo: int,
    beyond: int,
) -> None:
    """The first goal would be a jump to the end of the range."""
    joint = good.joints[servo - 1]
    edge = joint.range_min if beyond < 0 else joint.range_max
    simulated.servos[servo].position = edge + beyond
    plant = HardwareArm(arm, bus, counts=good, home_s=0.05)
    if not beyond:
        plant.reset(np.zeros(6))
        return
    with pytest.raises(ArmStartError) as error:
        plant.reset(np.zeros(6))
    said = str(error.value)
    assert f"servo {servo} ({NAMES[servo - 1]}) is {abs(beyond)} counts" in said
    assert f"{joint.range_min} to {joint.range_max}" in said and good.source in said
    assert_untouched(simulated)


def test_a_little_outside_is_where_a_stop_gives_way(
    arm: Arm, good: JointCounts, simulated: SimulatedBus, bus: FeetechBus
) -> None:
    simulated.servos[2].position = good.joints[1].range_min - START_TOLERANCE
    HardwareArm(arm, bus, counts=good, home_s=0.05).reset(np.zeros(6))
    assert all(servo.torque for servo in simulated.servos.values())


def assert_untouched(simulated: SimulatedBus) -> None:
    """No torque, and no goal but the one it came with."""
    for servo in simulated.servos.values():
        assert not servo.torque
        assert servo.goal == 2048
