"""The pictures of a film, one after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from models.arrays import Array
from scenarios.records.record import SIDES
from scenarios.report.video.figure import Figure
from scenarios.report.video.logged_run import LoggedRun
from scenarios.report.video.painter import Camera, Painter
from scenarios.report.video.views import View

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE_BY_SIDE_M = 0.65
"""Half the distance between two robots, as on the replay page."""
FOV_RAD = math.radians(28.0)
HUMAN_M = 1.6
"""Height of a robot that the cameras below suit."""
_FROM = {
    "front": (4.4, -1.2, 0.7),
    "side": (0.9, -4.6, 0.4),
    "hands": (1.9, -1.1, 0.35),
}
"""Place of the camera from what it looks at, for one robot of that height."""
TRAIL_S = 2.0
TRAIL_RGB = (0, 114, 178)
GREY_TRAIL_RGB = (120, 122, 130)
INK, PAPER = (34, 34, 34), (255, 255, 255, 200)


@dataclass(frozen=True)
class FilmSettings:
    """How a film is taken.

    Attributes:
        view: From where.
        size_px: Width and height, both even.
        fps: Pictures a second.
        speed: Simulated seconds in a second of film.
        from_s: Time of the run at which it begins.
        to_s: Time at which it ends; None: the run's end.
    """

    view: View = "front"
    size_px: tuple[int, int] = (960, 540)
    fps: float = 25.0
    speed: float = 1.0
    from_s: float = 0.0
    to_s: float | None = None


class Film:
    """A run, or two side by side, as pictures."""

    def __init__(
        self, run: LoggedRun, other: LoggedRun | None, settings: FilmSettings
    ) -> None:
        """Prepare.

        Args:
            run: The run in the robot's own colours.
            other: The run without estimator, in grey, to the viewer's left.
            settings: How it is taken.
        """
        shift = 0.0 if other is None else SIDE_BY_SIDE_M
        self._settings, self._run = settings, run
        self._actors = [_Actor(run, Figure(run.robot, offset_y_m=shift), TRAIL_RGB)]
        if other is not None:
            ghost = Figure(other.robot, offset_y_m=-shift, is_grey=True)
            self._actors.insert(0, _Actor(other, ghost, GREY_TRAIL_RGB))
        self._camera = self._place_camera()

    @property
    def times_s(self) -> Array:
        """Time of the run in each picture."""
        settings = self._settings
        last = max(float(a.run.time_s[-1]) for a in self._actors)
        end = last if settings.to_s is None else min(settings.to_s, last)
        return np.arange(settings.from_s, end + 1e-9, settings.speed / settings.fps)

    def pictures(self) -> Iterator[Image]:
        """All pictures in order."""
        for time_s in self.times_s:
            yield self.picture(float(time_s))

    def picture(self, time_s: float) -> Image:
        """The picture at one time of the run."""
        painter, solids = Painter(self._camera), []
        for actor in self._actors:
            solids += actor.solids(time_s)
        painter.solids(solids)
        for actor in self._actors:
            for trail in actor.trails(time_s):
                painter.line(trail, actor.trail_rgb, self._settings.size_px[1] / 270)
        image = painter.finish()
        self._caption(image, time_s)
        return image

    def _place_camera(self) -> Camera:
        settings, actor = self._settings, self._actors[-1]
        height = actor.height_m
        away = np.array(_FROM[settings.view]) * height / HUMAN_M
        middle = np.array([0.0, 0.0, 0.5 * height])
        if settings.view == "hands":
            middle = np.mean([a.hands_m for a in self._actors], axis=0)
        if len(self._actors) > 1:
            away *= 1.05
        # A narrow picture must still hold the whole width.
        width, tall = settings.size_px
        away *= max(1.0, (1.1 if len(self._actors) > 1 else 0.7) * tall / width)
        return Camera(middle + away, middle, FOV_RAD, settings.size_px)

    def _caption(self, image: Image, time_s: float) -> None:
        from PIL import ImageDraw

        width, height = image.size
        draw = ImageDraw.Draw(image, "RGBA")
        big, small = max(12, height // 26), max(10, height // 32)
        title = f"{self._run.title}   t = {time_s:.1f} s"
        if self._settings.speed != 1.0:
            title += f"   ({self._settings.speed:g} x speed)"
        _text(draw, (height // 40, height // 40), [(title, INK)], big)
        for index, actor in enumerate(self._actors):
            lines = actor.lines(time_s)
            tall = round(1.45 * small) * len(lines) + height // 40
            left = height // 40 + index * width // len(self._actors)
            _text(draw, (left, height - tall - height // 40), lines, small)


class _Actor:
    """One run with the figure that plays it."""

    def __init__(
        self, run: LoggedRun, figure: Figure, trail_rgb: tuple[int, int, int]
    ) -> None:
        self.run, self.trail_rgb, self._figure = run, trail_rgb, figure
        self._tips = np.zeros((len(run.time_s), len(SIDES), 3))
        for tick, q in enumerate(run.q):
            figure.pose(q)
            self._tips[tick] = [figure.tip_m(side) for side in range(len(SIDES))]
        figure.pose(run.q[0])
        nothing = np.zeros((len(SIDES), 7))
        (body,) = figure.solids(np.zeros(len(SIDES)), nothing)
        self.height_m = float(body.vertices[:, 2].max())

    @property
    def hands_m(self) -> Array:
        """(3,) middle of both tips over the run."""
        return np.asarray(self._tips.mean(axis=(0, 1)))

    def solids(self, time_s: float) -> list[Any]:
        """Everything of it at a time."""
        tick = self.run.tick(time_s)
        self._figure.pose(self.run.q[tick])
        return self._figure.solids(self.run.loads_kg[tick], self.run.estimates[tick])

    def trails(self, time_s: float) -> list[Array]:
        """(N, 3) where each tip was lately."""
        last, first = self.run.tick(time_s), self.run.tick(max(time_s - TRAIL_S, 0.0))
        return [self._tips[first : last + 1 : 2, side] for side in range(len(SIDES))]

    def lines(self, time_s: float) -> list[tuple[str, tuple[int, int, int]]]:
        """Its caption: who it is, what it holds and what is believed of it."""
        run, tick = self.run, self.run.tick(time_s)
        name = "with estimator" if run.has_estimator else "without estimator"
        if time_s > run.time_s[-1] + 0.05:
            name += f" (ended at {run.time_s[-1]:.1f} s)"
        loads = ", ".join(
            f"{side} {kg:.1f} kg"
            for side, kg in zip(SIDES, run.loads_kg[tick], strict=True)
        )
        lines = [(name, INK), (f"true load: {loads}", (190, 20, 75))]
        if run.has_estimator and run.reports:
            found = (
                _believed(side, run.estimates[tick, k, 0], run.sigma_kg[tick, k])
                for k, side in enumerate(SIDES)
            )
            lines.append((f"estimate: {', '.join(found)}", (10, 110, 60)))
        return lines


def _believed(side: str, mass_kg: float, sigma_kg: float) -> str:
    spread = f" ± {2.0 * sigma_kg:.1f}" if np.isfinite(sigma_kg) else ""
    return f"{side} {mass_kg:.1f}{spread} kg"


def _text(
    draw: Any,
    place: tuple[int, int],
    lines: list[tuple[str, tuple[int, int, int]]],
    size_px: int,
) -> None:
    """Lines of text on a light ground."""
    font = _font(size_px)
    step, pad = round(1.45 * size_px), size_px // 2
    wide = max(draw.textlength(text, font=font) for text, _ in lines)
    x, y = place
    corner = (x + wide + 2 * pad, y + step * len(lines) + pad)
    draw.rounded_rectangle((x, y, *corner), radius=pad, fill=PAPER)
    for index, (text, rgb) in enumerate(lines):
        draw.text((x + pad, y + pad // 2 + index * step), text, fill=rgb, font=font)


@cache
def _font(size_px: int) -> Any:
    """The font that Matplotlib brings along: it has every character used here."""
    import matplotlib
    from PIL import ImageFont

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return ImageFont.truetype(str(folder / "DejaVuSans.ttf"), size_px)
