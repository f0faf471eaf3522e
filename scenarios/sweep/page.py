"""The page of a sweep: what was swept, pictures, the worst runs with their logs."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from models.errors import ModelsError
from scenarios.records.record_file import load_record
from scenarios.report.figure_style import DPI
from scenarios.sweep.figures import sweep_figures
from scenarios.sweep.groups import groups_text
from scenarios.sweep.row import DONE, FAILED, FELL, Row
from scenarios.sweep.store import Store
from scenarios.sweep.table import Table

WORST = 5
"""Runs with a log."""
COLUMNS = (
    "run_id",
    "status",
    "reason",
    "payload_kg",
    "arm",
    "seed",
    "mass_error_kg",
    "loaded_payload_to_10pct_s",
    "loaded_tip_rmse_z_mm",
)


def write_page(store: Store, table: Table) -> Path:
    """Write pictures, logs of the worst runs, and `index.html`.

    Raises:
        ImportError: There is nothing to draw with.
        UnwrittenError: A file cannot be written.
    """
    import io

    pictures = []
    for name, draw in sweep_figures(table).items():
        image = io.BytesIO()
        draw().savefig(image, dpi=DPI, format="png")
        pictures.append(f"plots/{name}.png")
        store.write(pictures[-1], image.getvalue())
    worst = worst_runs(table)
    logs = {row["run_id"]: _log(store, row) for row in worst}
    body = "\n".join(
        [
            _facts(table),
            f"<pre>{html.escape(groups_text(table))}</pre>",
            "<h2>The worst runs</h2>",
            _rows(worst, logs),
            "<h2>Against what was swept</h2>",
            *(f'<img alt="{name}" src="{name}">' for name in pictures),
        ]
    )
    store.write("index.html", _PAGE.replace("@BODY@", body).encode())
    return store.folder / "index.html"


def worst_runs(table: Table) -> list[Row]:
    """Runs that failed or fell, then those whose mass is furthest off."""

    def badness(row: Row) -> tuple[int, float]:
        rank = (DONE, FELL, FAILED).index(row["status"])
        return rank, abs(row.get("mass_error_kg") or 0.0)

    return sorted(table.rows, key=badness, reverse=True)[:WORST]


def _log(store: Store, row: Row) -> str | None:
    """The log of a run, made from its record; None if that is not there."""
    from scenarios.records.mcap_log import write_log

    run_id = row["run_id"]
    trace = f"failures/{run_id}.txt"
    if (store.folder / trace).is_file():
        return trace
    name = f"logs/{run_id}.mcap"
    path = store.folder / name
    record = store.record_path(run_id)
    if path.is_file():
        return name
    if not record.is_file():
        return None
    try:
        path.parent.mkdir(exist_ok=True)
        draft = path.with_name(f".{path.name}.part")
        write_log(draft, load_record(record))
        draft.rename(path)
    except (OSError, ModelsError):
        return None
    return name


def _facts(table: Table) -> str:
    statuses = [row["status"] for row in table.rows]
    counts = ", ".join(f"{statuses.count(s)} {s}" for s in dict.fromkeys(statuses))
    swept = ", ".join(table.swept()) or "nothing but the seed"
    makers = sorted({str(row.get("versions")) for row in table.rows})
    return (
        f"<p>{len(table.rows)} runs: {counts}. Swept: {html.escape(swept)}. "
        '<a href="runs.csv">runs.csv</a> has every figure of every run.</p>'
        f"<p class=small>{html.escape('; '.join(makers))}</p>"
    )


def _rows(rows: Sequence[Row], logs: dict[str, str | None]) -> str:
    head = "".join(f"<th>{name}</th>" for name in (*COLUMNS, "log"))
    lines = []
    for row in rows:
        cells = "".join(f"<td>{html.escape(_cell(row.get(c)))}</td>" for c in COLUMNS)
        log = logs[row["run_id"]]
        link = f'<a href="{log}">{log}</a>' if log else "no record"
        lines.append(f"<tr>{cells}<td>{link}</td></tr>")
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>wbmpc: sweep</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #1c2024; background: #fff;
  max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.2rem; border-bottom: 1px solid #d7dce1; padding-bottom: .2rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums;
  font-size: 13.5px; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .22rem .8rem .22rem 0;
  border-bottom: 1px solid #edf0f2; }
img { width: 49%; min-width: 20rem; }
pre { overflow-x: auto; font-size: 12.5px; line-height: 1.4; background: #f6f8f9;
  padding: .8rem; }
.small { color: #5b6570; font-size: 12.5px; }
</style>
</head>
<body>
<h1>Sweep</h1>
@BODY@
</body>
</html>
"""
