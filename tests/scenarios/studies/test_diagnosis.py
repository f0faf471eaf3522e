"""`wbmpc doctor` compares what is loaded with what was installed."""

from __future__ import annotations

import base64
import hashlib
import os
import sys
from pathlib import Path

import pytest

from scenarios.launch import own_root
from scenarios.studies.install import diagnosis, installed_files
from scenarios.studies.install.diagnosis import diagnose
from scenarios.studies.install.falling_body import (
    TOLERANCE_M,
    expected_height_m,
    fallen_height_m,
)
from scenarios.studies.install.installed_files import InstalledFile
from scenarios.studies.install.loaded_files import LoadedFiles, differences


def record(path: Path, distribution: str = "mujoco 3.17.0") -> InstalledFile:
    digest = hashlib.sha256(path.read_bytes()).digest()
    sha256 = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    return InstalledFile(distribution=distribution, sha256=sha256)


def loaded(
    modules: dict[str, str] | None = None, libraries: tuple[str, ...] = ()
) -> LoadedFiles:
    return LoadedFiles({}, modules or {}, list(libraries))


def written(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_files_that_were_installed_are_no_difference(tmp_path: Path) -> None:
    module = written(tmp_path / "mujoco" / "__init__.py", "real = 1")
    library = written(tmp_path / "lib" / "libmujoco.so", "real")
    known = {str(path): record(path) for path in (module, library)}
    found = loaded({"mujoco": str(module)}, (str(library),))
    assert differences(found, known) == []


def test_a_changed_file_is_told_with_its_cure(tmp_path: Path) -> None:
    module = written(tmp_path / "mujoco" / "__init__.py", "real = 1")
    known = {str(module): record(module)}
    written(module, "another = 1")
    (told,) = differences(loaded({"mujoco": str(module)}), known)
    assert str(module) in told
    assert "pip install --force-reinstall mujoco==3.17.0" in told


def test_a_package_that_nobody_installed_is_told(tmp_path: Path) -> None:
    module = written(tmp_path / "mujoco.py")
    (told,) = differences(loaded({"mujoco": str(module)}), {})
    assert told.startswith(f"mujoco is loaded from {module}")
    assert differences(loaded({"somebodys": str(module)}), {}) == []


def test_another_package_of_our_name_is_told(tmp_path: Path) -> None:
    module = written(tmp_path / "teleop" / "__init__.py")
    (told,) = differences(loaded({"teleop": str(module)}), {})
    assert told == f"teleop is loaded from {module}, not from {own_root()}"


def test_a_foreign_library_is_told_with_the_variable_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = written(tmp_path / "ours" / "libboost.so.1", "ours")
    theirs = written(tmp_path / "theirs" / "libboost.so.1", "theirs")
    known = {str(ours): record(ours)}
    monkeypatch.setenv("LD_LIBRARY_PATH", str(theirs.parent))
    (told,) = differences(loaded(libraries=(str(theirs),)), known)
    assert told.startswith(f"libboost.so.1 is loaded from {theirs}, not from {ours}")
    assert "LD_LIBRARY_PATH names it" in told
    written(theirs, "ours")
    assert differences(loaded(libraries=(str(theirs),)), known) == []


def test_every_file_of_what_is_needed_is_known() -> None:
    import mujoco
    import numpy

    known = installed_files.installed_files()
    for module in (mujoco, numpy):
        assert not known[os.path.abspath(module.__file__)].is_changed(module.__file__)


def test_another_version_than_the_tested_one_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert installed_files.wrong_versions() == []
    real = installed_files.metadata.version
    monkeypatch.setattr(
        installed_files.metadata,
        "version",
        lambda name: "3.1.0" if name == "mujoco" else real(name),
    )
    assert installed_files.wrong_versions() == ["mujoco 3.1.0 in place of 3.17.0"]


@pytest.mark.parametrize("name", ["pinocchio", "mujoco", "teleop", "models"])
def test_an_install_is_not_sound_with_another_package_first(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path / name / "__init__.py")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = diagnose()
    assert not found.ok
    (bad,) = [f for f in found.findings if not f.ok and f.needed]
    assert str(file) in bad.detail
    assert f"PYTHONPATH names {tmp_path}" in bad.detail


def test_children_see_nothing_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "random.py", "raise RuntimeError('the current folder')")
    monkeypatch.chdir(tmp_path)
    code = "import os, random; print(os.getcwd())"
    status, out, err = diagnosis._child(["-c", code])
    assert (status, out.strip()) == (0, own_root()), err


def test_a_body_falls_in_mujoco_as_in_closed_form() -> None:
    assert abs(fallen_height_m() - expected_height_m()) < TOLERANCE_M
