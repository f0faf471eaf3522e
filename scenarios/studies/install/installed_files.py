"""Files that package managers say they installed: the RECORD of each distribution."""

from __future__ import annotations

import base64
import csv
import hashlib
import os
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import msgspec

PROGRAM = "wbmpc"


class InstalledFile(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a RECORD."""

    distribution: str
    """Name and version."""
    sha256: str | None
    """As in the RECORD: base64 without padding; None where it has none."""

    def is_changed(self, path: str) -> bool:
        """Whether a file is not the one that was installed."""
        if self.sha256 is None:
            return False
        try:
            digest = hashlib.sha256(Path(path).read_bytes()).digest()
        except OSError:
            return True
        return base64.urlsafe_b64encode(digest).decode().rstrip("=") != self.sha256


def installed_files() -> dict[str, InstalledFile]:
    """Files of this program's distribution and of all that it needs, by path.

    The paths are as they are imported, links not followed.
    """
    found = dict[str, InstalledFile]()
    for distribution in needed_distributions():
        told = f"{distribution.metadata['Name']} {distribution.version}"
        root = os.path.abspath(str(distribution.locate_file("")))
        for name, digest, *_ in csv.reader(_record(distribution)):
            path = os.path.normpath(os.path.join(root, name))
            method, _, value = digest.partition("=")
            sha256 = value if method == "sha256" else None
            found[path] = InstalledFile(distribution=told, sha256=sha256)
    return found


def _record(distribution: metadata.Distribution) -> list[str]:
    return (distribution.read_text("RECORD") or "").splitlines()


def needed_distributions() -> Iterator[metadata.Distribution]:
    """Installed ones among this program's and those that it needs, each once."""
    waiting, seen = [PROGRAM], set[str]()
    while waiting:
        name = _canonical(waiting.pop())
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        needed = [r for r in distribution.requires or () if "extra ==" not in r]
        waiting += [_name_of(text) for text in needed]
        yield distribution


def wrong_versions() -> list[str]:
    """Packages of another version than this program is installed for, each told."""
    try:
        requirements = metadata.requires(PROGRAM) or []
    except metadata.PackageNotFoundError:
        return []
    told = []
    for text in requirements:
        exact = re.fullmatch(r"([\w.-]+)\s*==\s*([\w.]+)", text.strip())
        if exact is not None:
            name, wanted = exact.groups()
            found = _version(name)
            if found != wanted:
                told.append(f"{name} {found or 'not installed'} in place of {wanted}")
    return told


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _name_of(requirement: str) -> str:
    found = re.match(r"[\w.-]+", requirement.strip())
    return found[0] if found else ""


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
