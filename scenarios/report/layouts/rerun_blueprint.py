"""A blueprint for rerun, and a run opened in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scenarios.errors import ScenarioError
from scenarios.report.layouts.panels import EVENTS, PANELS


def import_rerun() -> Any:
    """The package, which is not among those that this program needs.

    Raises:
        ScenarioError: It is not installed.
    """
    try:
        import rerun
        import rerun.blueprint
    except ImportError as error:
        raise ScenarioError(
            f"--rerun: needs the package rerun-sdk (pip install rerun-sdk): {error}"
        ) from None
    return rerun


def blueprint(rerun: Any) -> Any:
    """The robot beside the plots, events below."""
    views = rerun.blueprint
    plots = [
        views.TimeSeriesView(
            name=panel.title,
            contents=sorted({curve.topic for curve in panel.curves}),
        )
        for panel in PANELS
    ]
    return views.Blueprint(
        views.Horizontal(
            views.Vertical(
                views.Spatial3DView(name="Robot", origin="/"),
                views.TextLogView(name="Events", contents=[EVENTS]),
                row_shares=[3, 1],
            ),
            views.Vertical(*plots),
        ),
        collapse_panels=True,
    )


def open_in_rerun(log: Path, save: Path | None = None) -> None:
    """Show a log with its blueprint.

    Args:
        log: MCAP of a run.
        save: Write a recording there instead of opening a window.

    Raises:
        ScenarioError: rerun is not installed, or does not start.
    """
    rerun = import_rerun()
    shown = blueprint(rerun)
    rerun.init("wbmpc", spawn=False)
    try:
        if save is None:
            rerun.spawn(default_blueprint=shown)
        else:
            rerun.save(str(save), default_blueprint=shown)
        rerun.log_file_from_path(str(log))
        rerun.disconnect()
    except (OSError, RuntimeError, ValueError) as error:
        raise ScenarioError(f"--rerun: it did not start: {error}") from None
