from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import wbmpc
from scenarios.cli import main
from scenarios.commands.run_options import tell_native
from wbmpc import native


def test_the_version_is_that_of_the_distribution(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--version"]) == 0
    installed = metadata.version("wbmpc")
    assert capsys.readouterr().out == f"wbmpc {installed}\n"
    assert wbmpc.__version__ == installed


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "wbmpc", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"wbmpc {wbmpc.__version__}\n"


def test_a_missing_native_part_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "AVAILABLE", False)
    monkeypatch.setattr(native, "REASON", "the native part of wbmpc is not built")
    tell_native()
    assert capsys.readouterr().err == (
        "wbmpc: the native part of wbmpc is not built; the run gives the same results, "
        "slower\n"
    )
    monkeypatch.setattr(native, "AVAILABLE", True)
    tell_native()
    assert capsys.readouterr().err == ""


def test_a_shell_can_complete(tmp_path: Path) -> None:
    script = subprocess.run(
        [sys.executable, "-m", "wbmpc", "--tyro-print-completion", "bash"],
        capture_output=True,
        text=True,
        check=True,
    )
    (tmp_path / "wbmpc.sh").write_text(script.stdout)
    code = "source ./wbmpc.sh; COMP_WORDS=(wbmpc te); COMP_CWORD=1; "
    code += "COMP_LINE='wbmpc te'; COMP_POINT=8; _tyro_wbmpc; "
    code += 'echo "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "teleop" in done.stdout.split()
