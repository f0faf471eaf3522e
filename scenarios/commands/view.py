"""`wbmpc view`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import tyro

from scenarios.commands.command import Command
from scenarios.commands.options import File
from scenarios.commands.output import say
from scenarios.errors import ScenarioError
from scenarios.exit_codes import EXIT_OK

PAGE = "replay.html"


class View(Command, frozen=True, kw_only=True):
    """Open the replay of a run in a browser, or its log in rerun."""

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Folder of a run or comparison; with --rerun also an MCAP log."""
    rerun: bool = False
    """In rerun, if it is installed, with a ready blueprint."""
    save: File = None
    """With --rerun: write a recording (.rrd) instead of opening a window."""

    def act(self) -> int:
        """Open it; where there is no screen, say which file it is."""
        if self.save is not None and not self.rerun:
            raise ScenarioError(f"--save {self.save}: only with --rerun")
        if self.rerun:
            return self._in_rerun()
        folder = Path(self.run)
        page = folder / PAGE if folder.is_dir() else folder
        if not page.is_file() or page.suffix != ".html":
            raise ScenarioError(f"{self.run}: must be a folder that holds {PAGE}")
        opened = _has_screen() and _open(page)
        print(page.resolve())
        if not opened:
            say("no browser could be opened here; the page needs no network")
        return EXIT_OK

    def _in_rerun(self) -> int:
        from scenarios.report.layouts.rerun_blueprint import open_in_rerun
        from scenarios.report.video.logged_run import find_logs

        log, _ = find_logs(Path(self.run))
        open_in_rerun(log, None if self.save is None else Path(self.save))
        return EXIT_OK


def _has_screen() -> bool:
    """Whether a browser would have a window: else one for terminals might start."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _open(page: Path) -> bool:
    import webbrowser

    return webbrowser.open(page.resolve().as_uri())
