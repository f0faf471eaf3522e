"""`wbmpc identify`, and what `wbmpc estimate` does with it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scenarios.cli import main
from scenarios.studies.estimators.streams.robots import panda
from scenarios.studies.estimators.streams.synthetic_arm import (
    ArmStreamSettings,
    synthetic_arm,
)

REAL = Path(__file__).resolve().parents[4] / "shared" / "real-logs"
needs_real_logs = pytest.mark.skipif(not REAL.is_dir(), reason="no real logs here")

PAYLOAD_KEYS = {
    "verdict",
    "reason",
    "mass_kg",
    "sigma_kg",
    "interval_kg",
    "com_m",
    "from_s",
    "to_s",
    "course",
}


def write(path: Path, **settings: float) -> Path:
    chosen = ArmStreamSettings(duration_s=12.0, coulomb=0.8, noise_tau=0.1, **settings)
    log = synthetic_arm(panda(), chosen).log
    names = ["t"] + [f"{p}_{i}" for p in ("q", "qd", "tau") for i in range(9)]
    table = np.column_stack([log.time_s, log.q, log.v, log.tau])
    np.savetxt(path, table, delimiter=",", header=",".join(names), comments="")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("logs")
    write(made / "empty.csv", payload_kg=0.0, seed=1)
    write(made / "loaded.csv", payload_kg=2.0, payload_at_s=0.0, seed=2)
    return made


def printed(capsys: pytest.CaptureFixture[str], *argv: str) -> dict:
    assert main([*argv, "--robot", "panda", "--json"]) == 0
    found: dict = json.loads(capsys.readouterr().out)
    return found


def test_friction_of_each_joint_with_standard_errors(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = printed(capsys, "identify", str(folder / "empty.csv"))
    assert len(found["joints"]) == 7 and found["explained"] > 0.9
    assert found["samples"]["used"] == found["samples"]["total"]
    for joint in found["joints"]:
        value, sigma = joint["values"]["coulomb"], joint["sigma"]["coulomb"]
        assert abs(value - 0.8) < 4.0 * sigma
        assert set(joint["undetermined"]) <= set(joint["values"])


def test_the_file_of_identify_is_taken_by_estimate(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "drives.toml"
    log = str(folder / "empty.csv")
    assert main(["identify", log, "--robot", "panda", "--out", str(out)]) == 0
    assert "Coulomb" in capsys.readouterr().out
    loaded = str(folder / "loaded.csv")
    options = ("--estimator", "payload_rls", "--friction-from")
    by_file = printed(capsys, "estimate", loaded, *options, str(out))["payload"]
    by_log = printed(capsys, "estimate", loaded, *options, log)["payload"]
    for payload in (by_file, by_log):
        assert payload.keys() == PAYLOAD_KEYS
        assert abs(payload["mass_kg"] - 2.0) < 3.0 * payload["sigma_kg"]
    assert main(["identify", log, "--robot", "panda", "--out", str(out)]) == 2
    assert "already" in capsys.readouterr().err


def test_a_file_that_lacks_a_joint_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[joints]\n")
    argv = ["estimate", str(folder / "loaded.csv"), "--robot", "panda"]
    assert main([*argv, "--friction-from", str(wrong)]) == 2
    assert "panda_joint1" in capsys.readouterr().err


def test_a_tare_makes_it_sure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("estimate", str(folder / "loaded.csv"), "--estimator", "payload_rls")
    found = printed(capsys, *argv, "--tare", str(folder / "empty.csv"))["payload"]
    low, high = found["interval_kg"]
    assert found["verdict"] == "payload" and low < 2.0 < high
    assert found["mass_kg"] == pytest.approx(2.0, rel=0.05)


def real(name: str) -> str:
    return str(REAL / name)


@needs_real_logs
@pytest.mark.parametrize(
    ("log", "robot"),
    [
        ("panda_100hz.csv", "panda_nohand.urdf"),
        ("kuka_1_100hz.csv", "kuka_lwr4_centroepiaggio.urdf"),
        ("kuka_2_100hz.csv", "kuka_lwr4_centroepiaggio.urdf"),
        ("tiago_arm_100hz.csv", "tiago_arm.urdf"),
    ],
)
def test_no_false_attach_on_unloaded_logs(
    log: str, robot: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["estimate", real(log), "--robot", real(robot), "--json"]
    assert main([*argv, "--estimator", "ekf_supervised"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["payload"]["verdict"] != "payload"
    told = found["rows"][0]["report"]
    assert told["state"] == "nominal" and told["events"] == []


@needs_real_logs
def test_a_hand_that_is_lighter_than_its_model(
    capsys: pytest.CaptureFixture[str],
) -> None:
    argv = ["estimate", real("tiago_arm_100hz.csv"), "--robot", real("tiago_arm.urdf")]
    assert main([*argv, "--estimator", "payload_rls", "--json"]) == 0
    payload = json.loads(capsys.readouterr().out)["payload"]
    assert payload["verdict"] == "model_heavier"
    assert payload["mass_kg"] == pytest.approx(-0.238, abs=0.1)
    low, high = payload["interval_kg"]
    assert low < -0.238 < high


@needs_real_logs
def test_a_tare_on_another_log_of_the_same_arm(
    capsys: pytest.CaptureFixture[str],
) -> None:
    robot = real("kuka_lwr4_centroepiaggio.urdf")
    argv = ["estimate", real("kuka_1_100hz.csv"), "--robot", robot, "--json"]
    argv += ["--tare", real("kuka_2_100hz.csv"), "--estimator", "payload_rls"]
    assert main(argv) == 0
    payload = json.loads(capsys.readouterr().out)["payload"]
    assert payload["verdict"] == "none" and abs(payload["mass_kg"]) < 0.08
