"""What a user types, right and wrong."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sample_records import make_record

from ekf.errors import InvalidSettingError
from scenarios.cli import COMMANDS, main, name_of
from scenarios.commands.command import Command
from scenarios.commands.output import say
from scenarios.exit_codes import EXIT_BAD_END, EXIT_BAD_INPUT
from scenarios.records.record import RunRecord
from scenarios.run.batch import run_all
from scenarios.run.settings import RunSettings
from wbmpc.errors import UnknownNameError
from wbmpc.robot import Robot

ROOT = Path(__file__).resolve().parents[3]
QUICK = ("--duration", "6", "--no-files")


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


@pytest.fixture
def runner(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> list[RunSettings]:
    """Replace the simulation by synthetic runs; returns what was asked for."""
    asked: list[RunSettings] = []

    def run(settings: RunSettings, *, on_tick: Any, viewer: Any = None) -> RunRecord:
        asked.append(settings)
        on_tick(settings.duration_s)
        assert viewer is None
        sag = 0.0 if settings.payload_kg == 0.0 else 4.0
        sag = sag if settings.has_estimator else 100.0 * sag
        fields = {f: getattr(settings, f) for f in settings.__struct_fields__}
        fell = settings.payload_kg > 50.0
        return make_record(robot, sag_mm=sag, fell=fell, **fields)

    monkeypatch.setattr("scenarios.run.runner.run", run)
    return asked


def _err(capsys: pytest.CaptureFixture[str]) -> str:
    """The one sentence on standard error, nothing on standard output."""
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    lines = captured.err.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["run", "windw_washing"], ("windw_washing", "did you mean window_washing")),
        (["run", "window_washing", "--robot", "alxander"], ("did you mean alexander",)),
        (["run", "window_washing", "--robot", "no.urdf"], ("robot", "alexander")),
        (["run", "window_washing", "--payload", "-1"], ("--payload -1", "0 and 100")),
        (["run", "window_washing", "--payload", "nan"], ("--payload nan",)),
        (["run", "window_washing", "--payload", "1e6"], ("--payload 1e+06",)),
        (["run", "window_washing", "--payload", "five"], ("--payload", "five")),
        (["run", "window_washing", "--duration", "0"], ("--duration 0",)),
        (["run", "window_washing", "--at", "inf"], ("--at inf",)),
        (["run", "window_washing", "--at", "99"], ("--at 99", "12 s")),
        (["run", "window_washing", "--remove-at", "1"], ("--remove-at 1",)),
        (["run", "window_washing", "--ramp", "-2"], ("--ramp -2",)),
        (["run", "window_washing", "--arm", "middle"], ("middle", "left", "both")),
        (["run", "window_washing", "--prior", "some"], ("some", "inertia-only")),
        (
            ["run", "window_washing", "--set", "mpc.costs.torqe.weight=1"],
            ("torqe", "torque"),
        ),
        (["run", "window_washing", "--set", "mpc.nodes"], ("key.path=value",)),
        (["run", "window_washing", "--set", "mpc.nodes=many"], ("mpc.nodes", "int")),
        (["run", "window_washing", "--bogus"], ("--bogus",)),
        (["run"], ("scenario",)),
        ([], ("run", "compare", "doctor")),
        (["rum"], ("rum", "run")),
        (["compare", "window_washing", "--jobs", "0"], ("--jobs 0",)),
        (["compare", "nothing"], ("nothing", "window_washing")),
        (["run", "standing", "--push-at", "3"], ("--push-at", "give --push")),
        (["compare", "standing", "--push-for", "3"], ("--push-for", "give --push")),
        (["teleop", "--payload-at", "3"], ("--payload-at", "give --payload")),
        (["teleop", "--arm", "right"], ("--arm", "give --payload")),
        (
            ["teleop", "--scripted", "--payload", "0", "--payload-at", "3"],
            ("--payload-at", "give --payload"),
        ),
        (["teleop", "--scripted", "--payload-at", "-1"], ("wbmpc: --payload-at -1",)),
        (["teleop", "--scripted", "--payload-at", "nan"], ("--payload-at nan",)),
        (["teleop", "--duration", "-1"], ("wbmpc: --duration -1",)),
        (
            ["run", "standing", "--push", "5", "5", "--duration", "4"],
            ("--duration 4: ends before the push comes", "--push-at"),
        ),
        (
            ["run", "standing", "--push", "5", "5", "--push-at", "99"],
            ("wbmpc: --push-at 99", "12 s"),
        ),
        (
            ["run", "runtime_loading", "--at", "40"],
            ("--at 40: after the load is taken off, at 36 s", "--remove-at"),
        ),
        (["run", "standing", "--robot", "a\0b"], ("'a\\x00b'", "has a NUL")),
        (["check", "a\0b.toml"], ("'a\\x00b.toml'", "has a NUL")),
        (["check", "\udcff.urdf"], ("is not UTF-8",)),
        (["run", "standing", "--robot", "../nobody"], ("unknown robot '../nobody'",)),
        (["init", "../nobody", "--out", "x"], ("../nobody does not exist",)),
        (["estimate", "x" * 5000], ("no such file",)),
        (["so101", "calibrate", "x" * 5000], ("no such file",)),
        (["init", "alexander", "--out", "x" * 5000], ("nothing can be written",)),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    argv: list[str], told: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2
    sentence = _err(capsys)
    for words in told:
        assert words.lower() in sentence.lower()


@pytest.mark.parametrize("content", ["not xml at all", "<html></html>", ""])
def test_urdf_that_is_none(
    content: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shipped = (ROOT / "models" / "alexander" / "settings.toml").read_text()
    (tmp_path / "settings.toml").write_text(shipped)
    (tmp_path / "alexander.urdf").write_text(content)
    settings = str(tmp_path / "settings.toml")
    assert main(["run", "window_washing", "--robot", settings]) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "alexander.urdf" in captured.err.splitlines()[-1]
    assert "Traceback" not in captured.err


def test_bad_toml(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "settings.toml").write_text("= nonsense")
    robot = str(tmp_path / "settings.toml")
    assert main(["run", "window_washing", "--robot", robot]) == 2
    assert "TOML" in _err(capsys)


def test_out_in_use_is_refused_before_the_run(
    tmp_path: Path, runner: list[RunSettings], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "precious").write_text("data")
    assert main(["run", "window_washing", "--out", str(tmp_path)]) == 2
    assert "--out" in _err(capsys)
    assert runner == []


@pytest.mark.parametrize(
    "argv",
    [
        ["run", "standing"],
        ["compare", "standing"],
        ["teleop"],
        ["estimators"],
        ["so101", "bench"],
        ["so101", "servo"],
        ["so101", "drive", "simulated"],
    ],
    ids=lambda argv: " ".join(argv[:2]),
)
def test_a_folder_and_none_is_refused(
    argv: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main([*argv, "--out", str(out), "--no-files"]) == EXIT_BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"--out {out}: not with --no-files" in captured.err.splitlines()[-1]
    assert not out.exists()


def test_a_full_disk_is_exit_code_1_and_nothing_else_is_lost(
    runner: list[RunSettings],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("scenarios.records.mcap_log.write_log", full)
    out = tmp_path / "out"
    argv = ["run", "window_washing", "--duration", "3.2", "--json", "--out", str(out)]
    assert main(argv) == EXIT_BAD_END
    captured = capsys.readouterr()
    assert json.loads(captured.out)["fell"] is False
    last = captured.err.splitlines()[-1]
    assert last.startswith("wbmpc: could not write log-unloaded.mcap, log.mcap for")
    assert "No space left on device" in last
    names = {path.name for path in out.iterdir()}
    wanted = (
        "layouts metrics.json plots replay.html settings.json table.txt versions.json"
    )
    assert names == set(wanted.split())
    assert len(runner) == 2


class _FullStream(io.StringIO):
    """What standard output is on a full disk."""

    def write(self, text: str) -> int:  # noqa: ARG002
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_result_that_cannot_be_printed_is_exit_code_1(
    runner: list[RunSettings],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", _FullStream())
        argv = ["run", "window_washing", "--duration", "3.2", "--out", str(out)]
        assert main(argv) == EXIT_BAD_END
        sys.stdout.close()
    assert "could not print the result: No space left" in capsys.readouterr().err
    assert (out / "metrics.json").is_file()
    assert len(runner) == 2


def test_run_prints_one_json_object_with_the_promised_keys(
    runner: list[RunSettings], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "window_washing", "--json", "--seed", "3", *QUICK]) == 0
    result = json.loads(capsys.readouterr().out)
    promised = (
        "scenario robot estimator seed duration_s fell real_time_factor payload_kg "
        "links tip com timing_ms faults versions"
    )
    assert set(promised.split()) <= set(result)
    link = result["links"]["LEFT_ELBOW_PITCH_LINK"]
    promised = "mass_kg mass_true_kg com_m com_true_m sigma_mass_kg alpha d s t"
    assert {*promised.split(), "time_to_10pct_s"} <= set(link)
    tip = result["tip"]["left"]
    assert tip["rmse_z_mm"] == pytest.approx(4.0)
    assert {"rmse_y_mm", "bias_y_mm", "bias_z_mm"} <= set(tip)
    assert set(result["timing_ms"]["mpc"]) == {"p50", "p95", "p99", "max"}
    assert {"drift_mm", "spread_mm"} <= set(result["com"])
    assert result["seed"] == 3
    assert [s.payload_kg for s in runner] == [0.0, 5.0]


def test_compare_prints_one_json_object(
    runner: list[RunSettings], capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["compare", "window_washing", "--json", "--jobs", "1", *QUICK]
    assert main(argv) == 0
    result = json.loads(capsys.readouterr().out)
    promised = {"with_estimator", "without_estimator", "ratio_z", "ratio_y", "paper"}
    assert promised <= set(result)
    assert result["ratio_z"] == pytest.approx(100.0)
    assert result["with_estimator"]["estimator"] is True
    assert result["without_estimator"]["estimator"] is False
    assert result["paper"]["without_estimator"]["rmse_z_mm"] == 389.2
    assert len(runner) == 3


def test_flags_reach_the_run(
    runner: list[RunSettings], capsys: pytest.CaptureFixture[str]
) -> None:
    argv = "run window_washing --payload 2.5 --arm both --at 1 --remove-at 4 --ramp 0.5"
    argv += " --no-ekf --no-twin --set mpc.nodes=20 --set mpc.iterations=2"
    assert main([*argv.split(), *QUICK]) == 0
    assert runner == [
        RunSettings(
            payload_kg=2.5,
            arm="both",
            at_s=1.0,
            remove_at_s=4.0,
            ramp_s=0.5,
            duration_s=6.0,
            estimator="none",
            overrides=("mpc.nodes=20", "mpc.iterations=2"),
        )
    ]
    assert "estimator off" in capsys.readouterr().out
    assert main(["run", "standing", "--no-twin", "--prior", "none", *QUICK]) == 0
    assert (runner[-1].prior, runner[-1].has_estimator) == ("none", True)


def test_control_characters_are_made_visible(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say("robot \x1b[31mred\0: unknown\nnext line")
    assert capsys.readouterr().err == (
        "wbmpc: robot \\x1b[31mred\\x00: unknown\nnext line\n"
    )


def test_fall_is_exit_code_1_and_said(
    runner: list[RunSettings], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "window_washing", "--payload", "60", *QUICK]) == 1
    assert "ended badly" in capsys.readouterr().err
    assert len(runner) == 2


def test_folder_holds_everything(
    runner: list[RunSettings], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    argv = ["compare", "window_washing", "--json", "--jobs", "1", "--duration", "3.2"]
    assert main([*argv, "--out", str(out)]) == 0
    names = {str(p.relative_to(out)) for p in out.rglob("*") if p.is_file()}
    wanted = "layouts/foxglove.json log.mcap metrics.json replay.html settings.json "
    wanted += "table.txt versions.json"
    assert set(wanted.split()) <= names
    assert {"log-unloaded.mcap", "log-without_estimator.mcap"} <= names
    assert "plots/tip_paths.png" in names
    printed = json.loads(capsys.readouterr().out)
    assert json.loads((out / "metrics.json").read_text()) == printed
    settings = json.loads((out / "settings.json").read_text())
    assert settings["run"]["payload_kg"] == 5.0
    assert settings["robot"]["mpc"]["nodes"] == 30
    assert len(runner) == 3


def test_interrupt_is_exit_code_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("scenarios.run.runner.run", interrupted)
    assert main(["run", "window_washing", *QUICK]) == 130
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["--help"], ["run", "--help"], ["compare", "--help"]])
def test_help(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 0
    assert "usage: wbmpc" in capsys.readouterr().out


def _python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=120,
        check=False,
    )


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from scenarios.cli import main; main(['--help']); "
        "heavy = 'crocoddyl mujoco matplotlib meshcat pinocchio numpy dask'.split(); "
        "sys.exit(str([name for name in heavy if name in sys.modules] or ''))"
    )
    assert _python("-c", code).stderr.strip() == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_a_file_of_its_name(command: type[Command]) -> None:
    name = name_of(command).replace("-", "_")
    assert command.__module__ == f"scenarios.commands.{name}"
    assert command.act is not Command.act


def test_an_error_of_the_estimators_is_bad_input_and_a_bug_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(error: Exception) -> Callable[[], None]:
        def diagnose() -> None:
            raise error

        return diagnose

    where = "scenarios.studies.install.diagnosis.diagnose"
    monkeypatch.setattr(where, fails(InvalidSettingError("forget", 2.0, "be < 1")))
    assert main(["doctor"]) == EXIT_BAD_INPUT
    assert "forget" in _err(capsys)
    monkeypatch.setattr(where, fails(ZeroDivisionError("a bug")))
    with pytest.raises(ZeroDivisionError):
        main(["doctor"])


def test_subprocess_refuses_without_traceback() -> None:
    done = _python("-m", "scenarios", "run", "nothing", "--json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("wbmpc: unknown scenario 'nothing'")


def test_wrong_pair_of_wheels_is_refused_in_a_sentence() -> None:
    code = (
        "import sys, importlib.metadata as m; real = m.version; "
        "m.version = lambda name: '4.1.0' if name == 'pin' else real(name); "
        "from scenarios.cli import main; sys.exit(main(['run', 'window_washing']))"
    )
    done = _python("-c", code)
    assert done.returncode == 1
    assert done.stderr.startswith("wbmpc: incompatible native packages (pin 4.1.0)")
    assert "Traceback" not in done.stderr


def test_doctor_finds_this_install_sound(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    diagnosis = json.loads(capsys.readouterr().out)
    assert diagnosis["ok"] is True
    assert diagnosis["versions"]["crocoddyl"] == "3.2.1"


def test_doctor_reports_a_dying_child(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "scenarios.studies.install.diagnosis._child",
        lambda arguments: (-11, "", str(arguments)),
    )
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert "SIGSEGV" in text
    assert "NOT sound" in text


def test_spawned_runs_report_their_refusals() -> None:
    bad = RunSettings(robot="nobody")
    with pytest.raises(UnknownNameError, match="nobody"):
        other = RunSettings(robot="nobody", seed=1)
        run_all({"a": bad, "b": other}, jobs=2, progress=lambda *_: None)


@pytest.mark.parametrize("idle", [("--tare", "1"), ("--prior", "all")])
def test_options_of_the_estimator_need_one(
    idle: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "standing", "--no-ekf", *idle]) == EXIT_BAD_INPUT
    assert f"{idle[0]}: is for the estimator" in capsys.readouterr().err
