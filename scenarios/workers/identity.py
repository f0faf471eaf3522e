"""What a result depends on besides its settings: text, versions, kernels."""

from __future__ import annotations

import functools
import hashlib

import msgspec


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """The program as it is in one process."""

    source: str
    """Digest of the text that runs depend on."""
    measuring: str
    """Digest of the text that figures of a finished run depend on."""
    kernel: str
    """Compiled kernels that this processor runs."""
    versions: dict[str, str | None]
    """Packages, Python and platform."""

    @property
    def digest(self) -> str:
        """Short and the same for equal identities."""
        text = msgspec.json.encode(self, order="sorted")
        return hashlib.sha256(text).hexdigest()[:16]

    @property
    def running(self) -> str:
        """The same for equal runs, however they are measured."""
        return msgspec.structs.replace(self, measuring="").digest

    def differences(self, other: Identity) -> list[str]:
        """What is different in another process, one phrase each: theirs, then ours."""
        told = []
        for name in ("source", "measuring", "kernel"):
            ours, theirs = getattr(self, name), getattr(other, name)
            if ours != theirs:
                told.append(f"{name} {theirs}, here {ours}")
        for name in sorted({*self.versions, *other.versions}):
            ours, theirs = self.versions.get(name), other.versions.get(name)
            if ours != theirs:
                told.append(f"{name} {theirs}, here {ours}")
        return told


@functools.cache
def this_identity() -> Identity:
    """The identity of this process, found once: programs change between processes."""
    from scenarios.records.source_digest import measuring_digest, source_digest
    from scenarios.records.versions import installed_versions
    from wbmpc.ocp.variant import kernel_name

    return Identity(
        source=source_digest(),
        measuring=measuring_digest(),
        kernel=kernel_name(),
        versions=installed_versions(),
    )
