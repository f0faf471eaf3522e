"""Which workers may work: those whose program is the one that asks.

Installed on a cluster, it runs in every worker that there is and that comes later. One
that has the same text, versions and kernels gets an abstract resource, and calls are
only given to workers that have it: one at a time, however many threads they have. The
module is sent to the workers itself, so that one without this package is refused like
any other.
"""

from __future__ import annotations

import asyncio
from typing import Any

from distributed import WorkerPlugin


def differences(wanted: dict[str, Any]) -> list[str]:
    """What is different in this process from an `Identity` as a mapping."""
    try:
        import msgspec

        from scenarios.workers.identity import Identity, this_identity

        return msgspec.convert(wanted, Identity).differences(this_identity())
    except Exception as error:  # whatever it is, it is not the same program
        return [f"{type(error).__name__}: {error}"]


class Gate(WorkerPlugin):
    """Gives the resource to a worker that is the same program."""

    def __init__(self, name: str, wanted: dict[str, Any]) -> None:
        """Look for an `Identity`, given as a mapping.

        Args:
            name: Of the resource.
            wanted: What a worker must be.
        """
        self.name, self._wanted = name, wanted

    async def setup(self, worker: Any) -> None:
        """Judge a worker; in a thread, since that imports everything runs need."""
        told = await asyncio.to_thread(differences, self._wanted)
        if not told:
            await worker.set_resources(**{self.name: 1})
