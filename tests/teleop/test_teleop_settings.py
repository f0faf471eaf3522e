"""Settings: files are read strictly, and every one of them does something."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin
import pytest
from teleop_bench import Bench

from models.errors import SettingsError
from teleop.settings import TeleopSettings, load_teleop_settings
from wbmpc.robot import Robot

CHANGED: dict[str, float | bool] = {
    "engagement.proof_s": 0.8,
    "engagement.hold_after_s": 0.05,
    "engagement.disengage_after_s": 0.15,
    "engagement.recover_s": 0.6,
    "engagement.frames_to_return": 12,
    "engagement.max_jump_m": 0.5,
    "engagement.max_turn_rad": 2.0,
    "engagement.frozen_s": 0.2,
    "engagement.press": 0.95,
    "engagement.release": 0.1,
    "mapping.dead_zone": 0.4,
    "mapping.ramp_s": 0.1,
    "mapping.spine_yaw.rate_per_s": 0.2,
    "mapping.spine_yaw.lowest": -0.05,
    "mapping.spine_yaw.highest": 0.02,
    "mapping.pelvis_pitch.rate_per_s": 0.1,
    "mapping.pelvis_pitch.lowest": -0.02,
    "mapping.pelvis_pitch.highest": 0.05,
    "mapping.com_height.rate_per_s": 0.04,
    "mapping.com_height.lowest": -0.02,
    "mapping.com_height.highest": 0.005,
    "hand.scale": 1.2,
    "hand.leash_m": 0.2,
    "hand.delay_s": 0.0,
    "ik.gain": 0.3,
    "ik.orientation_weight_m": 0.1,
    "ik.posture_weight": 0.1,
    "ik.damping": 0.1,
    "ik.max_speed_rad_per_s": 0.3,
    "ik.limit_margin_rad": 0.3,
    "ik.min_elbow_bend_rad": 0.6,
    "ik.collision.enabled": False,
    "ik.collision.margin_m": 0.15,
    "ik.collision.range_m": 0.001,
    "ik.collision.forearm_radius_m": 0.12,
    "ik.collision.upper_arm_radius_m": 0.14,
    "ik.collision.trunk_radius_m": 0.25,
    "ik.collision.trunk_above_m": 0.05,
}
ELSEWHERE = {"haptic_below_m": "test_session.py", "ik.rate_hz": "the process's clock"}


def leaves(node: Any, key: str = "") -> Iterator[str]:
    for name in node.__struct_fields__:
        value, path = getattr(node, name), f"{key}.{name}".lstrip(".")
        if isinstance(value, msgspec.Struct):
            yield from leaves(value, path)
        else:
            yield path


def changed(key: str, value: float | bool) -> TeleopSettings:
    table = msgspec.to_builtins(TeleopSettings())
    *path, leaf = key.split(".")
    node = table
    for name in path:
        node = node[name]
    assert node[leaf] != value
    node[leaf] = value
    return msgspec.convert(table, TeleopSettings)


def trace(robot: Robot, settings: TeleopSettings) -> list[Any]:
    """Everything an operator can do in a few seconds, and what came of it."""
    bench = Bench(robot, settings)
    left, right = bench.headset.hands["left"], bench.headset.hands["right"]
    start = {side: hand.position_m.copy() for side, hand in bench.headset.hands.items()}
    states = []

    def run(duration_s: float) -> None:
        for _ in range(round(duration_s / 0.1)):
            bench.run(0.1)
            states.append(tuple(bench.states.values()))

    def move(seconds: float, left_m: list[float], right_m: list[float]) -> None:
        begin = left.position_m.copy(), right.position_m.copy()

        def go(time_s: float) -> None:
            share = min(time_s / seconds, 1.0)
            left.position_m = begin[0] + share * np.array(left_m)
            right.position_m = begin[1] + share * np.array(right_m)

        bench.run(seconds, go)
        run(0.2)

    run(0.7)
    for squeeze in (0.9, 0.3, 0.9, 1.0):
        bench.squeeze(squeeze)
        run(0.8)
    bench.squeeze(0.0)
    run(0.8)
    bench.squeeze(1.0)
    run(0.1)
    for stick, seconds in (((1.0, 1.0), 1.2), ((-1.0, -1.0), 2.6), ((0.3, 0.3), 0.8)):
        left.stick = right.stick = stick
        run(seconds)
        left.stick = right.stick = (0.0, 0.0)
        run(0.1)
    right.rotation = pin.rpy.rpyToMatrix(0.0, 0.4, 0.0)
    move(0.6, [0.3, 0.0, 0.3], [-0.3, 0.1, 0.1])
    move(0.6, [0.1, 0.0, 0.2], [0.0, 0.0, 0.1])
    move(0.8, [-0.4, -0.5, -0.5], [0.3, 0.5, -0.2])
    move(0.6, [-0.3, 0.1, 0.3], [-0.2, 0.0, 0.3])
    for hand, side in ((left, "left"), (right, "right")):
        hand.position_m = start[side]
    bench.squeeze(0.0)
    run(0.8)
    for trouble in ("drop", "step", "turn", "freeze", "flicker"):
        bench.squeeze(1.0)
        run(0.2)
        if trouble == "drop":
            bench.filtered = lambda frame: []  # noqa: ARG005
            run(0.3)
            bench.filtered = lambda frame: [frame]
        elif trouble == "step":
            left.position_m = left.position_m + [0.0, 0.0, 0.2]
        elif trouble == "turn":
            right.rotation = pin.rpy.rpyToMatrix(0.0, 0.4, 1.0)
        elif trouble == "freeze":
            left.trembles = False
            run(0.4)
            left.trembles = True
        else:
            for _ in range(4):
                left.tracked = False
                bench.run_frames(1)
                left.tracked = True
                run(0.4)
        run(0.4)
        bench.squeeze(0.0)
        run(0.9)
    rows = [
        (*r.q_upper, *r.v_upper, *r.com_m, *r.rotation_pelvis_to_midfoot.flat)
        for r in bench.references
    ]
    return [states, np.array(rows)]


@pytest.fixture(scope="module")
def default_trace(robot: Robot) -> list[Any]:
    return trace(robot, TeleopSettings())


def test_every_setting_is_in_the_list() -> None:
    assert set(leaves(TeleopSettings())) == {*CHANGED, *ELSEWHERE}


@pytest.mark.slow
def test_the_same_settings_give_the_same_trace(
    robot: Robot, default_trace: list[Any]
) -> None:
    states, rows = trace(robot, TeleopSettings())
    assert states == default_trace[0]
    np.testing.assert_array_equal(rows, default_trace[1])


@pytest.mark.slow
@pytest.mark.parametrize("key", CHANGED)
def test_every_setting_changes_something(
    robot: Robot, default_trace: list[Any], key: str
) -> None:
    states, rows = trace(robot, changed(key, CHANGED[key]))
    same = rows.shape == default_trace[1].shape and np.allclose(
        rows, default_trace[1], rtol=0.0, atol=1e-9
    )
    assert states != default_trace[0] or not same


def test_a_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("[ik]\ngain = 0.4\n[ik.collision]\nmargin_m = 0.05\n")
    settings, default = load_teleop_settings(path), TeleopSettings()
    assert settings.ik.gain == 0.4 and settings.ik.collision.margin_m == 0.05
    assert settings.ik.damping == default.ik.damping
    assert settings.engagement == default.engagement
    assert load_teleop_settings(None) == default


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[ik]\ngainn = 0.4\n", "gainn"),
        ("[ik]\ngain = 1.4\n", "gain"),
        ("[ik]\nmax_speed_rad_per_s = 0\n", "max_speed_rad_per_s"),
        ("[ik]\nmax_speed_rad_per_s = inf\n", "max_speed_rad_per_s"),
        ("[ik]\nmax_speed_rad_per_s = nan\n", "max_speed_rad_per_s"),
        ("[engagement]\nproof_s = 'long'\n", "proof_s"),
        (
            "[mapping.com_height]\nrate_per_s = 1\nlowest = 0.1\nhighest = 0.2\n",
            "com_height",
        ),
        ("[engagement]\nhold_after_s = 1e6\n", "hold_after_s"),
        ("[engagement]\ndisengage_after_s = 60\n", "disengage_after_s"),
        ("[engagement]\nfrozen_s = 5\n", "frozen_s"),
        ("[engagement]\nhold_after_s = 0.6\n", "disengage_after_s"),
        ("[engagement]\npress = 0.3\n", "release"),
        ("[engagement]\nmax_jump_m = 10\n", "max_jump_m"),
        ("[hand]\nscale = 100\n", "scale"),
        ("gain = ", "not a TOML file"),
        ("[mapping]\nspine_yaw = { rate_per_s = 1.0 }\n", "lowest"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_and_key(
    tmp_path: Path, text: str, word: str
) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=word) as caught:
        load_teleop_settings(path)
    assert "wrong.toml" in str(caught.value)
