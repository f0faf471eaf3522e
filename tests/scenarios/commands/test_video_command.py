from __future__ import annotations

import json
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image
from sample_records import make_record

from scenarios.cli import main
from scenarios.records.mcap_log import write_log
from scenarios.records.scene_colors import TRUE_LOAD_RGB
from scenarios.report.video.logged_run import read_run
from wbmpc.robot import Robot

SIZE = ("--size", "384x216")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a comparison: a log with and one without the estimator."""
    path = tmp_path_factory.mktemp("film")
    robot = Robot.load("alexander")
    common = {"payload_kg": 5.0, "at_s": 1.0, "duration_s": 2.0}
    names = {"log.mcap": {}, "log-without_estimator.mcap": {"estimator": "none"}}
    for name, settings in names.items():
        write_log(path / name, make_record(robot, **common, **settings))
    return path


def film(capsys: pytest.CaptureFixture[str], *argv: object) -> dict:
    assert main(["video", *map(str, argv), *SIZE, "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_an_mp4_has_the_pictures_it_says(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = film(capsys, folder)
    path = Path(told["file"])
    assert path == folder / "video.mp4"
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(path)
    assert frames == told["frames"] == pytest.approx(25 * 2.0, abs=1)
    assert seconds == pytest.approx(told["duration_s"], abs=0.05)


@pytest.mark.parametrize("kind", ["gif", "webp"])
def test_a_gif_or_webp_moves_and_starts_over(
    folder: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    out = folder / f"x.{kind}"
    options = ("--out", out, "--speed", 2, "--from", 0.5)
    told = film(capsys, folder / "log.mcap", *options)
    with Image.open(out) as image:
        assert image.size == (384, 216)
        assert image.n_frames == told["frames"] == pytest.approx(12.5 * 0.75, abs=1)
        assert image.info["loop"] == 0
        first = np.asarray(image.convert("RGB"), dtype=float)
        image.seek(image.n_frames - 1)
        last = np.asarray(image.convert("RGB"), dtype=float)
    load = 255 * np.array(TRUE_LOAD_RGB)

    def alike(picture: np.ndarray) -> int:
        """Pixels of the load's colour, in whatever light."""
        upper = picture[24:140]
        away = upper / upper.max(axis=-1, keepdims=True) - load / load.max()
        return int((np.linalg.norm(away, axis=-1) < 0.2).sum())

    assert alike(last) > alike(first) + 10  # the load is there by now


def test_the_log_tells_what_the_record_held(folder: Path) -> None:
    run = read_run(folder / "log.mcap")
    record = make_record(run.robot, payload_kg=5.0, at_s=1.0, duration_s=2.0)
    np.testing.assert_allclose(run.q, record.q)
    np.testing.assert_allclose(run.loads_kg, record.payload_kg)
    np.testing.assert_allclose(run.time_s, record.time_s, atol=1e-9)
    assert run.has_estimator and run.reports
    payload = record.links["left"].payload
    assert payload is not None
    np.testing.assert_allclose(run.estimates[:, 0, 0], payload.mass_kg)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--out", "x.avi"), "--out x.avi: must end in .mp4, .gif, .webp"),
        (("--out", "no/such/x.gif"), "must be a file in a folder that exists"),
        (("--size", "101x100"), "--size 101x100: must be WIDTHxHEIGHT, both even"),
        (("--size", "big"), "--size big"),
        (("--fps", "0"), "--fps 0: must be between 1 and 100 Hz"),
        (("--speed", "nan"), "--speed nan"),
        (("--from", "7"), "--from 7: must be before the end"),
        (("--to", "-1"), "--to -1: must be later than --from 0"),
    ],
)
def test_what_cannot_be_is_refused(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    told: str,
) -> None:
    assert main(["video", str(folder / "log.mcap"), *options]) == 2
    assert told in capsys.readouterr().err


def test_what_is_no_log_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.mcap").write_bytes(b"no log")
    assert main(["video", str(tmp_path / "x.mcap")]) == 2
    assert "is not the log of a run" in capsys.readouterr().err
    assert main(["video", str(tmp_path / "nothing")]) == 2
    assert "must be an MCAP log of a run, or a folder" in capsys.readouterr().err
