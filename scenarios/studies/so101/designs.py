"""Designs of an estimator on servos, on this arm and on others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from models.arrays import Array
from scenarios.studies.so101.servo import DesignRow
from scenarios.studies.so101.twins import twin_errors_kg


def design_rows(
    found: Mapping[str, dict[str, float]],
    payloads_kg: Sequence[float],
    twins: int,
    seed: int,
    progress: Callable[[str], None],
) -> list[DesignRow]:
    """One row for each design.

    Args:
        found: Estimates at the end by payload, by design [kg].
        payloads_kg: Of the task, besides none.
        twins: Arms with other servos and gears to run the designs on, too.
        seed: Of these.
        progress: Is told what is run next.
    """
    errors: dict[str, Array] = {}
    if twins:
        progress(f"{twins} other arms")
        errors = twin_errors_kg((0.0, *payloads_kg), twins, seed)
    return [
        DesignRow(
            design=name,
            raw_mass_kg=masses_kg,
            rms_error_kg=float(np.sqrt(np.mean(errors[name] ** 2))) if twins else None,
            worst_error_kg=float(np.abs(errors[name]).max()) if twins else None,
        )
        for name, masses_kg in found.items()
    ]
