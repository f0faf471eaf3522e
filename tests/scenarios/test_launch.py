"""The command starts whatever comes first on Python's path or is exported."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scenarios import launch

ROOT = Path(__file__).resolve().parents[2]
SHORT_RUN = "run window_washing --payload 0 --duration 0.1 --no-ekf --no-files".split()


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A folder for packages of a user's own."""
    return tmp_path / "theirs"


def package(folder: Path, name: str, text: str = "MINE = 1\n") -> Path:
    file = folder / name / "__init__.py"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file


def command(
    tmp_path: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command as a script of a plain wheel does, in a folder of its own."""
    site = tmp_path / "site"
    if not site.exists():
        site.mkdir()
        for name in launch.OWN:
            (site / name).symlink_to(ROOT / name)
        text = (ROOT / "scenarios" / "launch.py").read_text(encoding="utf-8")
        (site / "wbmpc_launch.py").write_text(text, encoding="utf-8")
    path = [str(site), *(entry for entry in sys.path if entry)]
    code = f"import sys; sys.path += {path}; from wbmpc_launch import entry_point; "
    code += "entry_point()"
    return subprocess.run(
        # Without `site` there is no finder of an editable install.
        [sys.executable, "-S", "-c", code, *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": ""} | environment,
        timeout=60,
        check=False,
    )


def test_packages_of_our_names_are_passed_over(tmp_path: Path, theirs: Path) -> None:
    files = [package(theirs, name) for name in launch.OWN]
    done = command(tmp_path, *SHORT_RUN, PYTHONPATH=str(theirs))
    assert done.returncode == 0, done.stderr
    (told,) = [line for line in done.stderr.splitlines() if "passed over" in line]
    assert all(str(file) in told for file in files)


@pytest.mark.parametrize("name", ["msgspec", "mujoco", "numpy", "pinocchio"])
def test_a_foreign_package_is_told_in_one_sentence(
    tmp_path: Path, theirs: Path, name: str
) -> None:
    file = package(theirs, name)
    done = command(tmp_path, *SHORT_RUN, PYTHONPATH=str(theirs))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"wbmpc: {name} would be loaded from {file}, not from")
    assert f"PYTHONPATH names {theirs}; unset it" in line


def test_a_foreign_package_in_the_current_folder_is_told(tmp_path: Path) -> None:
    package(tmp_path, "scipy")
    done = command(tmp_path, *SHORT_RUN)
    assert done.returncode == 2
    assert "start the command in another folder" in done.stderr


def test_a_foreign_package_does_not_keep_help_from_being_shown(
    tmp_path: Path, theirs: Path
) -> None:
    package(theirs, "mujoco")
    assert command(tmp_path, "--help", PYTHONPATH=str(theirs)).returncode == 0


def test_what_a_package_manager_put_there_is_no_foreign_package(
    tmp_path: Path, theirs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "installed"
    package(theirs, "numpy")
    package(installed, "numpy")
    monkeypatch.setattr(sys, "path", [str(theirs), str(installed)])
    monkeypatch.setenv("PYTHONPATH", str(theirs))
    assert str(theirs) in launch.foreign_packages(["numpy"])
    (theirs / "numpy-9.9.dist-info").mkdir()
    assert launch.foreign_packages(["numpy"]) == ""


def test_a_hidden_module_of_pythons_own_is_blamed(tmp_path: Path, theirs: Path) -> None:
    theirs.mkdir()
    (theirs / "signal.py").write_text("MINE = 1\n", encoding="utf-8")
    done = command(tmp_path, "--help", PYTHONPATH=str(theirs))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "signal would be loaded from" in line
    assert str(theirs / "signal.py") in line


def test_a_bug_is_not_blamed_on_the_installation() -> None:
    try:
        [].pop()
    except IndexError as error:
        assert launch.blamed_for(error) == ""


def test_a_package_without_what_we_use_is_blamed() -> None:
    import tqdm

    with pytest.raises(AttributeError) as caught:
        _ = tqdm.no_such_thing
    assert "wbmpc doctor" in launch.blamed_for(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="names of Linux")
@pytest.mark.parametrize("variable", ["LD_LIBRARY_PATH", "LD_PRELOAD"])
def test_a_foreign_library_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    assert launch.foreign_libraries() == ""
    file = tmp_path / "libpinocchio_default.so"
    file.write_bytes(b"another build")
    named = file if variable == "LD_PRELOAD" else tmp_path
    monkeypatch.setenv(variable, str(named))
    told = launch.foreign_libraries()
    assert told.startswith(f"{file} would be loaded, not ")
    assert f"unset {variable}" in told
    ours = Path(launch.installed_libraries(), file.name)
    file.unlink()
    file.symlink_to(ours)
    assert launch.foreign_libraries() == ""


def test_what_is_exported_for_other_programs_ends_no_run(tmp_path: Path) -> None:
    done = command(
        tmp_path,
        *SHORT_RUN,
        MUJOCO_GL="osmesa",
        PYOPENGL_PLATFORM="garbage",
        MPLBACKEND="garbage",
        MATPLOTLIBRC=str(tmp_path),
        OMP_NUM_THREADS="abc",
        GOMP_SPINCOUNT="abc",
        TQDM_NCOLS="abc",
        SOURCE_DATE_EPOCH="abc",
        PYTHONWARNINGS="error",
        PYTHONIOENCODING="ascii",
        COLUMNS="0",
        TMPDIR=str(tmp_path / "none"),
        HOME=str(tmp_path / "none"),
    )
    assert done.returncode == 0, done.stderr
    assert "libgomp" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("columns", ["1", "5"])
def test_help_comes_to_an_end_in_any_width(tmp_path: Path, columns: str) -> None:
    done = command(tmp_path, "run", "--help", COLUMNS=columns, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "--payload" in done.stdout


def test_all_packages_that_are_imported_are_watched() -> None:
    optional = {"cyclonedds", "zenoh", "mim_solvers", "pyarrow", "rerun"}
    used = set[str]()
    for own in launch.OWN:
        for path in (ROOT / own).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    used |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    used.add((node.module or "").split(".")[0])
    foreign = used - sys.stdlib_module_names - {*launch.OWN} - optional
    assert foreign <= {*launch.WATCHED}


def test_nothing_is_imported_at_the_top_but_what_python_has_loaded() -> None:
    tree = ast.parse((ROOT / "scenarios" / "launch.py").read_text(encoding="utf-8"))
    named = [n for n in tree.body if isinstance(n, ast.Import)]
    assert {alias.name for node in named for alias in node.names} == {"os", "sys"}


def test_a_script_with_another_package_of_our_name_is_told(
    tmp_path: Path, theirs: Path
) -> None:
    file = package(theirs, "models")
    code = f"import sys; sys.path += [{str(theirs)!r}, *{sys.path}]; import wbmpc"
    done = subprocess.run(
        [sys.executable, "-S", "-P", "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": ""},
        timeout=60,
        check=False,
    )
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: wbmpc needs the package 'models'")
    assert str(file) in last
