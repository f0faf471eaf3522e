"""Pictures into one file: MP4 through ffmpeg, GIF and WebP through Pillow."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scenarios.errors import ScenarioError
from scenarios.records.scene_colors import ESTIMATE_RGB, TRUE_LOAD_RGB

if TYPE_CHECKING:
    from PIL.Image import Image

KINDS = (".mp4", ".gif", ".webp")
COLORS = 256
"""Of a GIF, the same in all its pictures."""
SAMPLES = 4
"""Pictures from which they are chosen."""
SWATCH_PX = 40
"""Edge of a patch of a load's colour among them: few pixels must not lose it."""
WEBP_QUALITY = 60


def write_film(
    path: Path, pictures: Iterator[Image], size_px: tuple[int, int], fps: float
) -> None:
    """Write a film; the file appears under its name only when it is whole.

    Args:
        path: Ends in one of `KINDS`, which says how.
        pictures: All of them, one after the other.
        size_px: Width and height of each.
        fps: Pictures a second.

    Raises:
        ScenarioError: Nothing can be written there, or there is no ffmpeg for an MP4.
    """
    write: Callable[[Path], None] = {
        ".mp4": lambda draft: _write_mp4(draft, pictures, size_px, fps),
        ".gif": lambda draft: _write_gif(draft, pictures, fps),
        ".webp": lambda draft: _write_webp(draft, pictures, fps),
    }[path.suffix.lower()]
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".wbmpc-") as folder:
            draft = Path(folder) / path.name
            write(draft)
            os.replace(draft, path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ScenarioError(f"--out {path}: cannot be written: {reason}") from None


def find_ffmpeg() -> str:
    """The system's ffmpeg, or the one that comes with a package.

    Raises:
        ScenarioError: There is neither.
    """
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError, OSError):
        raise ScenarioError(
            "an .mp4 needs ffmpeg, which is neither on the path nor in the package "
            "imageio-ffmpeg (pip install imageio-ffmpeg); --out FILE.gif or FILE.webp "
            "needs neither"
        ) from None


def _write_mp4(
    path: Path, pictures: Iterator[Image], size_px: tuple[int, int], fps: float
) -> None:
    width, height = size_px
    command = [find_ffmpeg(), "-v", "error", "-y", "-nostdin"]
    command += ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
    command += ["-r", f"{fps:g}", "-i", "pipe:0", "-c:v", "libx264", "-crf", "21"]
    command += ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path)]
    # A file for its words: a full pipe would stop both.
    with tempfile.TemporaryFile() as words:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=words) as process:
            assert process.stdin is not None
            try:
                for picture in pictures:
                    process.stdin.write(picture.tobytes())
                process.stdin.close()
            except BrokenPipeError:
                pass  # it has ended and says why
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            words.seek(0)
            told = words.read().decode(errors="replace").strip().splitlines()
            last = told[-1] if told else f"exit code {process.returncode}"
            raise ScenarioError(f"--out {path.name}: ffmpeg did not write it: {last}")


def _write_gif(path: Path, pictures: Iterator[Image], fps: float) -> None:
    """One palette for all pictures, so that what stands still does not flicker."""
    from PIL.Image import Dither

    first = next(pictures)
    kept = [first, *pictures]
    sample = _palette(kept)
    reduced = [p.quantize(palette=sample, dither=Dither.NONE) for p in kept]
    reduced[0].save(
        path,
        save_all=True,
        append_images=reduced[1:],
        duration=round(1000.0 / fps / 10.0) * 10,  # a GIF counts hundredths of a second
        loop=0,
        optimize=True,
    )


def _palette(pictures: list[Image]) -> Image:
    """Colours of some pictures, and of the loads in light and in shade."""
    from PIL import Image

    width, height = pictures[0].size
    held = Image.new("RGB", (width, height * SAMPLES + SWATCH_PX))
    for k in range(SAMPLES):
        shown = pictures[round(k * (len(pictures) - 1) / (SAMPLES - 1))]
        held.paste(shown, (0, k * height))
    shades = [
        tuple(round(255 * share * light) for share in rgb)
        for rgb in (TRUE_LOAD_RGB, ESTIMATE_RGB)
        for light in (0.45, 0.6, 0.8, 1.0)
    ]
    for k, shade in enumerate(shades):
        left = k * width // len(shades)
        place = (left, height * SAMPLES, left + SWATCH_PX, height * SAMPLES + SWATCH_PX)
        held.paste(shade, place)
    return held.quantize(COLORS)


def _write_webp(path: Path, pictures: Iterator[Image], fps: float) -> None:
    first = next(pictures)
    first.save(
        path,
        save_all=True,
        append_images=pictures,
        duration=round(1000.0 / fps),
        loop=0,
        quality=WEBP_QUALITY,
        method=4,
    )
