"""Cells of the notebook, run one after the other."""

from __future__ import annotations

import json
from pathlib import Path

import closed_loop
import matplotlib
import pytest

NOTEBOOK = Path(closed_loop.__file__).parent / "tour.ipynb"


def test_every_cell_runs_and_the_load_is_found() -> None:
    matplotlib.use("agg")
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    names: dict = {}
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            source = "".join(cell["source"])
            exec(compile(source, f"cell {number}", "exec"), names)
    names["plt"].close("all")
    assert names["believed_kg"][-1] == pytest.approx(4.0, abs=0.3)
    assert max(names["believed_kg"][:200]) < 0.3
