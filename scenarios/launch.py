"""What has to be right before anything of this program is imported.

The wheel holds a copy of this file as `wbmpc_launch`, in which the script `wbmpc`
starts: a user's own `scenarios` or `models` that comes first on Python's path would be
taken for ours, and nobody has a package of that name. For the same reason only modules
that the interpreter has loaded anyway are imported here.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

OWN = ("models", "ekf", "wbmpc", "teleop", "scenarios")

WATCHED = (
    "PIL aiohttp cloudpickle coal cryptography daqp dask distributed "
    "example_robot_data imageio_ffmpeg matplotlib mcap meshcat msgspec mujoco numpy "
    "pinocchio crocoddyl eigenpy rosbags scipy scservo_sdk segno serial tornado tqdm "
    "tyro umsgpack zstandard"
).split()
"""Packages that this program imports from other distributions."""

BEFORE_HELP = ("msgspec", "tyro")
"""Those without which there is no help, and no doctor."""

_DISTRIBUTIONS = {
    "PIL": "pillow",
    "example_robot_data": "example_robot_data_loaders",
    "pinocchio": "pin",
    "scservo_sdk": "ftservo_python_sdk",
    "serial": "pyserial",
    "umsgpack": "u_msgpack_python",
}
"""Distributions whose name is not that of the package they hold."""

_LIBRARIES = {
    "linux": ("LD_LIBRARY_PATH", ".so"),
    "darwin": ("DYLD_LIBRARY_PATH", ".dylib"),
}
"""Variable by which libraries are found before the installed ones, and their ending."""

_STACK = (
    "libpinocchio_default libpinocchio_parsers libpinocchio_collision "
    "libpinocchio_visualizers libcrocoddyl libcoal libeigenpy"
).split()
"""Libraries whose builds do not mix; their names tell no version."""

_IMPORTING = "<frozen importlib._bootstrap>"
"""In the lines of an error that came while something was imported."""

_MOST_CHARACTERS = 300
"""Of an error's own words: names of C++ symbols are longer."""

_SETTLED = {
    # MuJoCo draws nothing here: it need not load a window library, which may be
    # missing, or start a process of its own with its own traceback.
    "MUJOCO_GL": "disable",
    # Pictures are drawn into files, with the same style everywhere.
    "MPLBACKEND": "agg",
    "MATPLOTLIBRC": os.devnull,
}
"""Variables that users set for other programs."""


def entry_point() -> NoReturn:
    """Run a command and end with its exit code."""
    settle_environment()
    passed_over = put_own_packages_first()
    code = 2
    try:
        foreign = foreign_packages(BEFORE_HELP)
        if foreign:
            _say(foreign)
        else:
            if passed_over:
                _say(passed_over)
            code = _run()
    except KeyboardInterrupt:
        code = 130
    except Exception as error:  # imports failed: `main` has its own words for the rest
        told = blamed_for(error)
        if not told:
            raise
        _say(told)
    sys.exit(code)


def _run() -> int:
    from scenarios.interrupts import ending_at_once

    with ending_at_once():
        from scenarios.cli import main_of_process
    return main_of_process()


def settle_environment() -> None:
    """Replace what was exported for other programs and would end this one.

    Children inherit it.
    """
    os.environ.update(_SETTLED)
    for name in [name for name in os.environ if name.startswith("TQDM_")]:
        if name != "TQDM_DISABLE":  # tqdm does not import where it cannot read one
            del os.environ[name]
    if not os.environ.get("SOURCE_DATE_EPOCH", "0").isdecimal():
        del os.environ["SOURCE_DATE_EPOCH"]  # NumPy would not import
    options = [_as_warning(option) for option in sys.warnoptions]
    if options != sys.warnoptions:
        import warnings

        # A warning of somebody's package would end a run.
        sys.warnoptions[:] = options
        os.environ["PYTHONWARNINGS"] = ",".join(options)
        warnings.simplefilter("default")


def _as_warning(option: str) -> str:
    action, colon, rest = option.partition(":")
    strict = bool(action) and "error".startswith(action.strip().lower())
    return f"default{colon}{rest}" if strict else option


def own_root() -> str:
    """Folder of this program's packages, wherever this file was put."""
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.dirname(here) if os.path.basename(here) == "scenarios" else here


def put_own_packages_first() -> str:
    """Let packages of our names be ours, whatever comes first on the path.

    Folders that hold others are looked at last, here and in spawned processes.

    Returns:
        What was passed over, one sentence; empty if nothing was.
    """
    root = own_root()
    ahead = sys.path[: sys.path.index(root)] if root in sys.path else []
    theirs = {e: [n for n in OWN if _file_in(e, n)] for e in ahead if e != root}
    moved = [entry for entry, names in theirs.items() if names]
    if not moved:
        return ""
    sys.path[:] = [e for e in sys.path if e not in moved] + moved
    files = " and ".join(_file_in(e, n) for e in moved for n in theirs[e])
    return (
        f"passed over {files}: not of this program, whose packages are in {root}; a "
        "script of yours that imports wbmpc needs them out of PYTHONPATH"
    )


def hidden_packages() -> str:
    """Packages of our names that scripts would load in place of ours.

    Returns:
        One sentence; empty if there are none.
    """
    root = own_root()
    named = [e for e in _set_by_user() if os.path.abspath(e) != root]
    found = [(e, n) for e in named for n in OWN if _file_in(e, n)]
    if not found:
        return ""
    files = " and ".join(_file_in(entry, name) for entry, name in found)
    return (
        f"{files}: not of this program, which passes it over, but a script that "
        f"imports wbmpc would load it: {_cure(found[0][0])}"
    )


def foreign_packages(names: tuple[str, ...] | list[str]) -> str:
    """Packages that would be loaded from elsewhere than they are installed.

    Returns:
        One sentence; empty if there are none.
    """
    found = dict[str, list[str]]()
    installed = ""
    for name in names:
        entry, place = _shadowed(name)
        if place:
            found.setdefault(entry, []).append(name)
            installed = place
    if not found:
        return ""
    entry, shadowing = next(iter(found.items()))
    files = " and ".join(_file_in(entry, name) for name in shadowing)
    return (
        f"{', '.join(shadowing)} would be loaded from {files}, not from what is "
        f"installed in {installed}: {_cure(entry)}"
    )


def foreign_libraries(files: list[str] | None = None) -> str:
    """Native libraries that a variable puts before the installed ones.

    Args:
        files: Their names; None: those whose builds do not mix.

    Returns:
        One sentence; empty if there are none.
    """
    variable, ending = _LIBRARIES.get(sys.platform, ("", ""))
    installed = installed_libraries()
    names = [stem + ending for stem in _STACK] if files is None else files
    preloaded = os.environ.get("LD_PRELOAD", "").replace(" ", os.pathsep)
    theirs = [("LD_PRELOAD", path) for path in preloaded.split(os.pathsep)]
    for folder in os.environ.get(variable, "").split(os.pathsep):
        if os.path.isdir(folder):
            theirs += [(variable, os.path.join(folder, name)) for name in names]
    for named_by, path in theirs:
        name = os.path.basename(path)
        ours = os.path.join(installed, name)
        if name in names and os.path.isfile(path) and os.path.isfile(ours):
            if not _same_file(path, ours):
                return (
                    f"{path} would be loaded, not {ours}, which is installed: "
                    f"{named_by} names it; unset {named_by}, or leave it out of it"
                )
    return ""


def blamed_for(error: BaseException) -> str:
    """What in the installation an error comes from; empty if nothing there.

    A module on Python's path that was loaded, or is named in the error's lines, and
    hides one that is installed or Python's own; else any package that did not load.
    """
    import traceback

    what = f"{type(error).__name__}: {error}".splitlines()[0][:_MOST_CHARACTERS]
    lines = "".join(traceback.format_exception(error))
    for entry in _set_by_user():
        if os.path.abspath(entry) == own_root():
            continue
        for name in _names_in(entry):
            found, place = _shadowed(name)
            file = _file_in(entry, name)
            if found == entry and place and (_is_loaded(name, file) or file in lines):
                return f"{what}; {foreign_packages([name])}"
    part = getattr(getattr(error, "obj", None), "__name__", "")  # without a name of it
    lacking = isinstance(error, AttributeError) and part.partition(".")[0] in WATCHED
    if isinstance(error, ImportError) or _IMPORTING in lines or lacking:
        return f"a package cannot be loaded ({what}); wbmpc doctor tells what is wrong"
    return ""


def _shadowed(name: str) -> tuple[str, str]:
    """Where a user's setting has a package found first, and where it is installed.

    What a package manager put into a folder, with its own record of it, is installed.
    """
    users = _set_by_user()
    holders = [entry for entry in sys.path if _file_in(entry, name)]
    installed = [entry for entry in holders if entry not in users]
    if not installed or holders[0] not in users or _has_record(holders[0], name):
        return "", ""
    return holders[0], installed[0]


def _set_by_user() -> list[str]:
    """Folders of the path that PYTHONPATH names, and the first: script's or current."""
    named = _named_by_variable()
    first = [] if sys.flags.safe_path else sys.path[:1]
    return [e for e in sys.path if os.path.abspath(e) in named or e in first]


def _named_by_variable() -> set[str]:
    variable = os.environ.get("PYTHONPATH", "")  # an empty part is the current folder
    parts = variable.split(os.pathsep) if variable else []
    return {os.path.abspath(part) for part in parts}


def _cure(entry: str) -> str:
    folder = os.path.abspath(entry)
    if folder in _named_by_variable():
        return f"PYTHONPATH names {folder}; unset it, or leave that folder out of it"
    return f"start the command in another folder than {folder}"


def _file_in(entry: str, name: str) -> str:
    """File by which a package of a name is imported from a folder; may be empty."""
    base = os.path.abspath(os.path.join(entry, name))
    for file in (os.path.join(base, "__init__.py"), base + ".py"):
        if os.path.isfile(file):
            return file
    return ""


def _names_in(entry: str) -> Iterator[str]:
    try:
        held = sorted(os.listdir(entry or os.curdir))
    except OSError:
        return
    for item in held:
        name = item.removesuffix(".py")
        if name.isidentifier() and _file_in(entry, name):
            yield name


def _has_record(entry: str, name: str) -> bool:
    wanted = _DISTRIBUTIONS.get(name, name).lower()
    return any(
        item.split("-")[0].lower().replace(".", "_") == wanted
        for item in os.listdir(entry or os.curdir)
        if item.endswith((".dist-info", ".egg-info"))
    )


def _is_loaded(name: str, file: str) -> bool:
    module = sys.modules.get(name)
    return getattr(module, "__file__", None) == file


def installed_libraries() -> str:
    """Folder of the native stack's libraries; empty without one."""
    for entry in sys.path:
        if "cmeel.prefix" in entry:
            return os.path.abspath(os.path.join(entry, "..", ".."))
    return ""


def _same_file(one: str, other: str) -> bool:
    if os.path.samefile(one, other):
        return True
    if os.path.getsize(one) != os.path.getsize(other):
        return False
    with open(one, "rb") as a, open(other, "rb") as b:
        return a.read() == b.read()


def _say(sentence: str) -> None:
    if sys.stderr is not None:
        print(f"wbmpc: {sentence}", file=sys.stderr)
