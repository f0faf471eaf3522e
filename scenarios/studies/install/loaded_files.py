"""What is loaded, compared with what was installed: places and hashes.

Versions alone are those of the metadata, whatever comes first on a path.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib import metadata

import msgspec

from scenarios.launch import OWN, WATCHED, own_root
from scenarios.studies.install.installed_files import PROGRAM, InstalledFile

Installed = Mapping[str, InstalledFile]


class LoadedFiles(msgspec.Struct, frozen=True):
    """What a process has loaded, as `loading` prints it."""

    failed: dict[str, str]
    """Why a module did not load, by its name."""
    modules: dict[str, str]
    """File by module."""
    libraries: list[str]
    """Mapped shared libraries, links followed; none where the system does not tell."""


def differences(loaded: LoadedFiles, installed: Installed) -> list[str]:
    """Everything that is not as it was installed, each told in a clause."""
    told = list(_foreign_libraries(loaded.libraries, installed))
    told += _modules(loaded.modules, installed)
    told += [f"{name} does not load ({why})" for name, why in loaded.failed.items()]
    return list(dict.fromkeys(told))


def _modules(modules: Mapping[str, str], installed: Installed) -> Iterable[str]:
    root = own_root()
    for name, file in modules.items():
        package = name.partition(".")[0]
        if file in installed:
            if installed[file].is_changed(file):
                yield _changed(file, installed)
        elif package in OWN:
            if not file.startswith(root + os.sep):
                yield f"{name} is loaded from {file}, not from {root}"
        elif package in WATCHED:
            yield f"{name} is loaded from {file}, which no package manager installed"


def _foreign_libraries(libraries: Iterable[str], installed: Installed) -> Iterable[str]:
    by_name = dict[str, list[str]]()
    for path in installed:
        if ".so" in os.path.basename(path):
            by_name.setdefault(os.path.basename(path), []).append(path)
    for library in libraries:
        ours = by_name.get(os.path.basename(library), [])
        same = [path for path in ours if os.path.realpath(path) == library]
        if same:
            if installed[same[0]].is_changed(library):
                yield _changed(same[0], installed)
        elif ours and all(installed[path].is_changed(library) for path in ours):
            yield (
                f"{os.path.basename(library)} is loaded from {library}, not from "
                f"{ours[0]}: {_who_names(os.path.dirname(library))}"
            )


def _who_names(folder: str) -> str:
    """Variable that has a library found in a folder, and what to do about it."""
    for variable in ("LD_PRELOAD", "LD_LIBRARY_PATH"):
        parts = os.environ.get(variable, "").replace(" ", os.pathsep).split(os.pathsep)
        places = {os.path.realpath(part) for part in parts if part}
        if folder in places | {os.path.dirname(place) for place in places}:
            return f"{variable} names it; unset {variable}, or leave it out"
    return "install the program in an environment of its own"


def _changed(file: str, installed: Installed) -> str:
    entry = installed[file]
    name, _, version = entry.distribution.partition(" ")
    others = ", ".join(_other_owners(file, name))
    if others:
        cure = f"{others} has files of that name: pip uninstall {others}, then "
    else:
        cure = ""
    again = name if name == PROGRAM else f"{name}=={version}"
    return (
        f"{file} is not the file that {entry.distribution} installed; {cure}pip "
        f"install --force-reinstall {again}"
    )


def _other_owners(file: str, name: str) -> Iterable[str]:
    """Other distributions that say they installed a file."""
    for distribution in metadata.distributions():
        other = distribution.metadata["Name"]
        if other == name:
            continue
        for item in distribution.files or ():
            if item.name == os.path.basename(file):
                if os.path.abspath(os.fspath(item.locate())) == file:
                    yield other
                    break
