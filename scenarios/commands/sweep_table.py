"""`wbmpc sweep-table`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from scenarios.commands.command import Command
from scenarios.commands.options import Json, told
from scenarios.commands.output import print_result, say
from scenarios.errors import ScenarioError
from scenarios.exit_codes import EXIT_BAD_END, EXIT_OK
from scenarios.interrupts import ending_at_once

if TYPE_CHECKING:
    from scenarios.sweep.store import Store
    from scenarios.sweep.table import Table

MOST_TOLD = 20
"""Differences of two sweeps that are told."""


class SweepTable(Command, frozen=True, kw_only=True):
    """Put the rows of a sweep together again: its table, pictures, and page.

    For sweeps that still run, were killed, or were made in parts.
    """

    folder: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")]
    """Of the sweep."""
    format: Annotated[Literal["csv", "parquet"] | None, told("{csv,parquet}")] = None
    """Write this table only (default: both, if pyarrow is there, and the page)."""
    plot: Annotated[tuple[str, str] | None, told("QUANTITY FIGURE")] = None
    """Draw a column against a swept one, such as payload mass_error."""
    same_as: Annotated[str | None, told("FOLDER")] = None
    """Compare with another sweep: equal to the last bit, but for who made it when?"""
    json: Json = False

    def act(self) -> int:
        """Write, draw or compare."""
        with ending_at_once():
            from scenarios.sweep.groups import grouped, groups_text
            from scenarios.sweep.table import Table
        store = _open(self.folder)
        table = Table(store.rows())
        if not table.rows:
            raise ScenarioError(f"{self.folder}: has no rows yet")
        if self.same_as is not None:
            return self._compare(table, Table(_open(self.same_as).rows()))
        if self.plot is not None:
            return self._draw(store, table, *self.plot)
        self._write(store, table)
        return print_result(grouped(table), groups_text(table), as_json=self.json)

    def _write(self, store: Store, table: Table) -> None:
        from scenarios.sweep.summary import finish

        if self.format is None:
            finish(store, say, page=True)
            return
        name = f"runs.{self.format}"
        store.write(name, table.csv() if self.format == "csv" else table.parquet())
        say(f"table: {store.folder / name}")

    def _draw(self, store: Store, table: Table, quantity: str, figure: str) -> int:
        import io

        from scenarios.report.figure_style import DPI
        from scenarios.sweep.figures import line_figure

        across, up = table.find(quantity), table.find(figure)
        image = io.BytesIO()
        line_figure(table, across, up).savefig(image, dpi=DPI, format="png")
        name = f"plots/{up}-{across}.png"
        store.write(name, image.getvalue())
        say(f"picture: {store.folder / name}")
        return EXIT_OK

    def _compare(self, ours: Table, theirs: Table) -> int:
        told = ours.differences(theirs)
        text = "\n".join(told[:MOST_TOLD]) or f"{len(ours.rows)} rows, no difference"
        if len(told) > MOST_TOLD:
            text += f"\nand {len(told) - MOST_TOLD} more"
        printed = print_result({"differences": told}, text, as_json=self.json)
        return max(printed, EXIT_BAD_END if told else EXIT_OK)


def _open(folder: str) -> Store:
    """A folder with rows.

    Raises:
        ScenarioError: It is none.
    """
    from scenarios.sweep.store import Store

    if not (Path(folder) / "rows").is_dir():
        raise ScenarioError(f"{folder}: is not the folder of a sweep, it has no rows/")
    return Store(Path(folder))
