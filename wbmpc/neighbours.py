"""Whether the packages that this one needs are those it was installed with.

`models` is a name that others give to packages of their own. Imports nothing of this
project, for that reason.
"""

from __future__ import annotations

import os
from importlib.util import find_spec

NEEDED = ("models",)


def check_neighbours() -> None:
    """Refuse another package of a name that this one imports.

    Raises:
        ImportError: It comes first on Python's path; one sentence with both places.
    """
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for name in NEEDED:
        spec = find_spec(name)
        place = os.path.abspath((spec.origin if spec else None) or "")
        if spec and os.path.dirname(os.path.dirname(place)) != home:
            raise ImportError(
                f"wbmpc needs the package {name!r} that is installed beside it in "
                f"{home}, but another one comes first on Python's path: {place}; "
                "leave its folder out of PYTHONPATH, or rename it"
            )
