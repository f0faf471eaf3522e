"""The output of commands: results, sentences, progress; and the folders they leave.

Standard output carries results, one JSON object with `--json`; progress and words go to
standard error.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import msgspec

from scenarios.exit_codes import EXIT_BAD_END, EXIT_OK
from scenarios.interrupts import ending_at_once
from scenarios.records.run_folder import RunFolder

if TYPE_CHECKING:
    from scenarios.report.metrics.results import RunMetrics
    from scenarios.run.settings import RunSettings

PROG = "wbmpc"

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")
"""All but line breaks: some sentences have several lines."""


def say(sentence: str) -> None:
    """Say something that is not a result; control characters are made visible.

    On a line of its own, also while a progress bar is shown.
    """
    shown = _CONTROL.sub(lambda found: ascii(found[0])[1:-1], sentence)
    bars = sys.modules.get("tqdm")  # else there is none
    write = print if bars is None else bars.tqdm.write
    write(f"{PROG}: {shown}", file=sys.stderr)


def print_result(value: object, text: str, *, as_json: bool) -> int:
    """Print the text, or the value as one JSON object and the text as words.

    A reader who has had enough, or a full disk, must not cost the run's files.

    Returns:
        Exit code: bad if the result could not be printed to one who wanted it.
    """
    if as_json:
        if text:
            print(text, file=sys.stderr)
        text = msgspec.json.encode(value).decode()
        if not _can_say(text):  # only here: escapes make it twice as long
            text = json.dumps(json.loads(text))
    try:
        print(text, flush=True)
    except OSError as error:
        sys.stdout = nowhere()
        if not isinstance(error, BrokenPipeError):
            say(f"could not print the result: {error.strerror}")
            return EXIT_BAD_END
    return EXIT_OK


def _can_say(text: str) -> bool:
    """Whether standard output has every character of a text."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def nowhere() -> TextIO:
    """A stream in place of one that is closed."""
    return open(os.devnull, "w", encoding="utf-8")


def leave_folder(path: Path | None, fill: Callable[[RunFolder], None]) -> int:
    """Write a folder, if there shall be one; say where it is, or what it lacks.

    Returns:
        Exit code: bad if something could not be written.
    """
    if path is None:
        return EXIT_OK
    with RunFolder(path) as folder:
        fill(folder)
    say(folder.problem or f"files in {path}")
    return EXIT_BAD_END if folder.problem else EXIT_OK


def verdict(judged: Mapping[str, RunMetrics]) -> int:
    """Exit code of what was run; says how a run ended badly."""
    fallen = {name: m for name, m in judged.items() if m.fell}
    for name, metrics in fallen.items():
        last = metrics.events[-1] if metrics.events else "the robot fell"
        say(f"{name} ended badly: {last}")
    return EXIT_BAD_END if fallen else EXIT_OK


def say_fallen(names: Iterable[str]) -> int:
    """Exit code of runs of which some fell; says which."""
    code = EXIT_OK
    for name in names:
        say(f"{name} ended badly: the robot fell")
        code = EXIT_BAD_END
    return code


class Bars:
    """One progress bar over the simulated time of several runs."""

    def __init__(self, runs: Mapping[str, RunSettings]) -> None:
        """Prepare a bar for runs by name."""
        with ending_at_once():
            from tqdm import tqdm

        self._reached = dict.fromkeys(runs, 0.0)
        total = sum(settings.duration_s for settings in runs.values())
        tqdm.monitor_interval = 0  # no thread of tqdm's own
        self._bar = tqdm(
            total=round(total, 3),
            unit="s",
            file=sys.stderr,
            leave=False,
            mininterval=0.1 if sys.stderr.isatty() else 2.0,
            bar_format="{desc} {percentage:3.0f}% |{bar}| {n:.1f}/{total:g} s "
            "simulated, {elapsed} elapsed",
        )

    def __enter__(self) -> Bars:
        """Show the bar."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        self._bar.close()

    def show(self, name: str, time_s: float) -> None:
        """Advance one run."""
        self._bar.set_description_str(name, refresh=False)
        self._reached[name] = time_s
        # Set, not added to: a sum of steps ends a rounding error beyond the total.
        self._bar.n = min(sum(self._reached.values()), self._bar.total)
        self._bar.update(0.0)
