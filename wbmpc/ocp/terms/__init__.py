"""The cost terms: every file of this folder is one, of the name of the file.

A new term is a file here and one for its residual in `wbmpc.residuals`. Settings,
overrides, proposals and the problem find it by looking into this folder.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from wbmpc.ocp.cost import Cost


def find_terms() -> dict[str, type[Cost]]:
    """Settings type of every term by name: the rows of Table I, then the others."""
    kinds = {m.name: _kind(m.name) for m in pkgutil.iter_modules(__path__)}
    return dict(sorted(kinds.items(), key=lambda term: (term[1].table_row, term[0])))


def _kind(term: str) -> type[Cost]:
    """The class of a file that is a cost, not one that the file imports."""
    module = import_module(f"{__name__}.{term}")
    classes = (value for value in vars(module).values() if isinstance(value, type))
    own = (kind for kind in classes if kind.__module__ == module.__name__)
    (kind,) = (kind for kind in own if issubclass(kind, Cost))
    return kind
