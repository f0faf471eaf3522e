"""`wbmpc video`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
import tyro

from scenarios.commands.command import Command
from scenarios.commands.options import File, Json, Seconds, told
from scenarios.commands.output import print_result
from scenarios.errors import OutOfRangeError, ScenarioError
from scenarios.exit_codes import EXIT_OK
from scenarios.interrupts import ending_at_once
from scenarios.report.video.views import View

if TYPE_CHECKING:
    from PIL.Image import Image

    from scenarios.report.video.film import Film, FilmSettings

SMALLEST_PX, LARGEST_PX = 64, 4096
SLOWEST, FASTEST = 0.05, 20.0
MOST_FPS = 100.0
FPS = {".mp4": 25.0, ".gif": 12.5, ".webp": 12.5}
"""Pictures a second by kind of file."""


class VideoResult(msgspec.Struct, frozen=True, kw_only=True):
    """What was written."""

    file: str
    frames: int
    fps_hz: float
    duration_s: float
    width_px: int
    height_px: int
    size_bytes: int


class Video(Command, frozen=True, kw_only=True):
    """A moving picture of a run, from its log, without a screen."""

    kept: ClassVar[str] = "no film was kept"

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Folder of a run or comparison (two robots side by side), or an MCAP log."""
    out: File = None
    """File to write, .mp4, .gif or .webp (default: video.mp4 beside the log)."""
    view: View = "front"
    """From where it is taken."""
    speed: float = 1.0
    """Simulated seconds in a second of film."""
    size: Annotated[str, tyro.conf.arg(metavar="WIDTHxHEIGHT")] = "960x540"
    """Size in pixels, both even."""
    fps: Annotated[float | None, told("HZ")] = None
    """Pictures a second (default: 25 in an .mp4, 12.5 in the others)."""
    from_s: Annotated[float, tyro.conf.arg(name="from", metavar="S")] = 0.0
    """Time of the run at which it begins [s]."""
    to_s: Annotated[Seconds, tyro.conf.arg(name="to")] = None
    """Time at which it ends [s] (default: the run's end)."""
    alone: bool = False
    """Of a comparison, only the run with the estimator."""
    json: Json = False

    def act(self) -> int:
        """Draw it and write it."""
        with ending_at_once():
            from scenarios.report.video.encoding import find_ffmpeg, write_film
            from scenarios.report.video.film import Film
            from scenarios.report.video.logged_run import find_logs, read_run

        log, other = find_logs(Path(self.run))
        path = Path(self.out) if self.out else log.parent / "video.mp4"
        settings = self._settings(path)
        if path.suffix.lower() == ".mp4":
            find_ffmpeg()
        run = read_run(log)
        other_run = None if other is None or self.alone else read_run(other)
        film = Film(run, other_run, settings)
        frames = len(film.times_s)
        if frames < 2:
            raise ScenarioError(
                f"--from {self.from_s:g}: must be before the end of the film; the run "
                f"ends at {run.time_s[-1]:g} s"
            )
        write_film(path, _shown(film, frames), settings.size_px, settings.fps)
        result = VideoResult(
            file=str(path),
            frames=frames,
            fps_hz=settings.fps,
            duration_s=frames / settings.fps,
            width_px=settings.size_px[0],
            height_px=settings.size_px[1],
            size_bytes=path.stat().st_size,
        )
        return max(EXIT_OK, print_result(result, _told(result), as_json=self.json))

    def _settings(self, path: Path) -> FilmSettings:
        """How it is taken.

        Raises:
            ScenarioError: An option has a value that cannot be.
        """
        from scenarios.report.video.film import FilmSettings

        kind = path.suffix.lower()
        if kind not in FPS:
            raise ScenarioError(f"--out {path}: must end in {', '.join(FPS)}")
        if path.is_dir() or not path.absolute().parent.is_dir():
            raise ScenarioError(f"--out {path}: must be a file in a folder that exists")
        fps = FPS[kind] if self.fps is None else self.fps
        for option, value, low, high, unit in (
            ("fps", fps, 1.0, MOST_FPS, "Hz"),
            ("speed", self.speed, SLOWEST, FASTEST, ""),
        ):
            if not low <= value <= high:
                raise OutOfRangeError(option, value, low, high, unit)
        if not (self.from_s >= 0.0):
            raise ScenarioError(f"--from {self.from_s:g}: must be 0 s or later")
        if self.to_s is not None and not self.to_s > self.from_s:
            raise ScenarioError(
                f"--to {self.to_s:g}: must be later than --from {self.from_s:g}"
            )
        return FilmSettings(
            view=self.view,
            size_px=_size(self.size),
            fps=fps,
            speed=self.speed,
            from_s=self.from_s,
            to_s=self.to_s,
        )


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    sizes = tuple(map(int, found.groups())) if found else ()
    if len(sizes) != 2 or any(
        s % 2 or not SMALLEST_PX <= s <= LARGEST_PX for s in sizes
    ):
        raise ScenarioError(
            f"--size {text}: must be WIDTHxHEIGHT, both even and within {SMALLEST_PX} "
            f"and {LARGEST_PX}"
        )
    return sizes[0], sizes[1]


def _shown(film: Film, frames: int) -> Iterator[Image]:
    """The pictures, with a progress bar."""
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no thread of tqdm's own
    yield from tqdm(
        film.pictures(),
        total=frames,
        unit="picture",
        file=sys.stderr,
        leave=False,
        mininterval=0.1 if sys.stderr.isatty() else 2.0,
    )


def _told(result: VideoResult) -> str:
    return (
        f"{result.file}: {result.frames} pictures, {result.duration_s:.1f} s at "
        f"{result.fps_hz:g} Hz, {result.width_px} x {result.height_px}, "
        f"{result.size_bytes / 1e6:.2f} MB"
    )
