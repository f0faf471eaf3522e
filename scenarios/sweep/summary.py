"""The end of a sweep: tables, page, and what there is to say."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from models.errors import ModelsError
from scenarios.records.versions import installed_versions
from scenarios.report.tables import render
from scenarios.sweep.plan import Plan
from scenarios.sweep.store import Store
from scenarios.sweep.sweep import is_mixed
from scenarios.sweep.table import Table, write_tables


class SweepResult(msgspec.Struct, frozen=True, kw_only=True):
    """A sweep in numbers: those of its plan, not of all that is in the folder."""

    folder: str
    runs: int
    done: int
    fell: int
    failed: int
    missing: int
    made: int
    """In this call."""
    references: int
    versions: dict[str, str | None]

    def text(self) -> str:
        """One line of a table."""
        names = ("runs", "done", "fell", "failed", "missing", "made")
        return render(
            ("sweep", *names), [[self.folder, *(str(getattr(self, n)) for n in names)]]
        )


def write_plan(store: Store, plan: Plan, scenario: str) -> None:
    """Note what was asked for last; nothing is read from it.

    Raises:
        UnwrittenError: It cannot be written.
    """
    told = {
        "scenario": scenario,
        "runs": [run.run_id for run in plan.runs],
        "references": list(plan.references),
        "versions": installed_versions(),
    }
    text = msgspec.json.format(msgspec.json.encode(told), indent=1)
    store.write("plan.json", text + b"\n")


def finish(store: Store, say: Callable[[str], None], *, page: bool) -> Table:
    """Write the tables and, if wanted, the page; say if the rows do not go together.

    Raises:
        UnwrittenError: The tables cannot be written.
    """
    store.clean()
    table = write_tables(store)
    for name, values in is_mixed(table.rows).items():
        say(
            f"the table has rows of {len(values)} programs, {name}: {', '.join(values)}"
        )
    if page:
        from scenarios.sweep.page import write_page

        try:
            say(f"page: {write_page(store, table)}")
        except (ImportError, OSError, ModelsError) as error:
            say(f"no page: {error}")
    return table


def summarise(plan: Plan, store: Store, table: Table, *, made: int) -> SweepResult:
    """Count what came of a plan."""
    statuses = {row["run_id"]: row["status"] for row in table.rows}
    found = [statuses.get(run.run_id, "missing") for run in plan.runs]
    return SweepResult(
        folder=str(store.folder),
        runs=len(plan.runs),
        done=found.count("done"),
        fell=found.count("fell"),
        failed=found.count("failed"),
        missing=found.count("missing"),
        made=made,
        references=len(plan.references),
        versions=installed_versions(),
    )
