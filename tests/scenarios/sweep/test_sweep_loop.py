"""The sweep itself, with workers of this process: what is kept, tried again, told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sample_records import make_record

from models.errors import UnwrittenError
from scenarios.errors import ScenarioError
from scenarios.records.record import RunRecord
from scenarios.run.settings import RunSettings
from scenarios.sweep.job import Answer, Job, do_job
from scenarios.sweep.plan import make_plan
from scenarios.sweep.row import MADE, Row
from scenarios.sweep.store import Store
from scenarios.sweep.summary import finish, summarise
from scenarios.sweep.sweep import Sweep, state_of
from scenarios.sweep.table import Table, write_tables
from scenarios.workers.crew import Finished
from wbmpc.errors import ProcessLostError
from wbmpc.robot import Robot

SHORT = {"duration_s": (3.5,), "at_s": (1.0,)}
pytestmark = pytest.mark.usefixtures("made")
AXES = {"payload_kg": (1.0, 2.0), "arm": ("left", "right"), "seed": (0, 1)}


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


@pytest.fixture
def made(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> list[RunSettings]:
    """Synthetic runs in place of simulated ones; returns what was asked for."""
    asked: list[RunSettings] = []

    def run(settings: RunSettings, *, on_tick: Any) -> RunRecord:
        asked.append(settings)
        on_tick(settings.duration_s)
        if settings.payload_kg == 7.0:
            raise ScenarioError("--payload 7: this one is refused")
        if settings.payload_kg == 9.0:
            raise ZeroDivisionError("a bug")
        fields = {f: getattr(settings, f) for f in settings.__struct_fields__}
        fell = settings.payload_kg == 8.0
        return make_record(robot, sag_mm=settings.payload_kg, fell=fell, **fields)

    monkeypatch.setattr("scenarios.run.runner.run", run)
    return asked


class Watcher:
    """Remembers rows."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def at(self, name: str, time_s: float) -> None:
        pass

    def over(self, _: RunSettings, row: Row | None) -> None:
        if row is not None:
            self.rows.append(row)

    def waiting(self, workers: int, refused: int) -> None:
        pass


class HereCrew:
    """Two workers of this process."""

    def __init__(self, see: Callable[[Job], Job | Finished] = lambda job: job) -> None:
        self.on_progress: Any = None
        self._see, self._waiting = see, list[tuple[str, Any, Job]]()
        self.dropped = False

    def workers(self) -> frozenset[str]:
        return frozenset({"a", "b"})

    def refused(self) -> int:
        return 0

    @property
    def running(self) -> int:
        return len(self._waiting)

    def room(self) -> int:
        return 2 - len(self._waiting)

    def start(self, name: str, function: Any, job: Job) -> None:
        self._waiting.append((name, function, job))

    def finished(self, _: float) -> Finished | None:
        name, function, job = self._waiting.pop()  # not in order
        seen = self._see(job)
        if isinstance(seen, Finished):
            return seen
        return Finished(name=name, value=function(seen))

    def drop(self) -> None:
        self.dropped = True


def sweep(
    folder: Path,
    axes: dict[str, Any] = AXES,
    *,
    see: Callable[[Job], Any] = lambda job: job,
    retry_failed: bool = False,
    **options: Any,
) -> tuple[Table, Sweep]:
    store = Store(folder)
    plan = make_plan("window_washing", SHORT | axes)
    store.prepare()
    state = state_of(plan, store, retry_failed=retry_failed)
    made = Sweep(plan=plan, store=store, state=state, watcher=Watcher(), **options)
    crew = HereCrew(see)
    try:
        made.run(crew)  # type: ignore[arg-type]
    finally:
        assert crew.dropped
        assert not list(folder.glob(".seen-*")) and not list(folder.glob("*/.*.part"))
    return write_tables(store), made


def test_every_run_once_and_its_reference_once(
    made: list[RunSettings], tmp_path: Path
) -> None:
    table, _ = sweep(tmp_path)
    assert len(made) == 8 + 2
    assert [row["status"] for row in table.rows] == ["done"] * 8
    assert len(list((tmp_path / "rows").iterdir())) == 8
    assert len(list((tmp_path / "records").iterdir())) == 8
    assert len(list((tmp_path / "references").iterdir())) == 2
    assert all(row["loaded_tip_rmse_z_mm"] is not None for row in table.rows)
    assert {row["loaded_side"] for row in table.rows} == {"left", "right"}


def test_a_second_time_nothing_is_run(made: list[RunSettings], tmp_path: Path) -> None:
    first, _ = sweep(tmp_path)
    made.clear()
    second, _ = sweep(tmp_path)
    assert made == [] and second.csv() == first.csv()


def test_a_wider_plan_runs_only_what_is_new(
    made: list[RunSettings], tmp_path: Path
) -> None:
    sweep(tmp_path)
    made.clear()
    table, _ = sweep(tmp_path, AXES | {"seed": (0, 1, 2)})
    assert len(made) == 4 + 1 and len(table.rows) == 12


def test_failures_are_rows_with_reasons_and_end_nothing(
    made: list[RunSettings], tmp_path: Path
) -> None:
    table, _ = sweep(tmp_path, {"payload_kg": (9.0, 7.0, 8.0, 1.0)})
    rows = {row["payload_kg"]: row for row in table.rows}
    assert rows[1.0]["status"] == "done" and rows[1.0]["reason"] == ""
    assert rows[7.0]["status"] == "failed"
    assert rows[7.0]["reason"] == "--payload 7: this one is refused"
    assert rows[8.0]["status"] == "fell" and rows[8.0]["reason"]
    assert rows[9.0]["reason"] == "ZeroDivisionError: a bug"
    trace = tmp_path / "failures" / f"{rows[9.0]['run_id']}.txt"
    assert "Traceback" in trace.read_text(encoding="utf-8")
    made.clear()
    sweep(tmp_path, {"payload_kg": (9.0, 7.0, 8.0, 1.0)})
    assert made == []
    sweep(tmp_path, {"payload_kg": (9.0, 7.0, 8.0, 1.0)}, retry_failed=True)
    assert sorted(settings.payload_kg for settings in made) == [7.0, 9.0]


def test_enough_failures_are_enough(tmp_path: Path) -> None:
    axes = {"payload_kg": (7.0,), "seed": tuple(range(10))}
    table, made_ = sweep(tmp_path, axes, most_failures=3)
    assert 3 <= len(table.rows) <= 5
    result = summarise(made_.plan, made_.store, table, made=3)
    assert result.missing == 10 - len(table.rows) and result.failed == len(table.rows)


def test_a_lost_worker_is_a_reason(tmp_path: Path) -> None:
    def see(job: Job) -> Any:
        if job.settings.payload_kg != 2.0:
            return job
        lost = ProcessLostError(f"{job.run_id}: its process died 3 times")
        return Finished(name=job.run_id, error=lost, lost=True)

    table, _ = sweep(tmp_path, see=see)
    reasons = {r["payload_kg"]: (r["status"], r["reason"]) for r in table.rows}
    assert reasons[2.0] == ("failed", "its process died 3 times")
    assert reasons[1.0] == ("done", "")


def test_runs_whose_reference_failed_say_so(tmp_path: Path) -> None:
    def see(job: Job) -> Any:
        if not job.is_reference or job.settings.seed == 0:
            return job
        lost = ProcessLostError("its process died 3 times")
        return Finished(name=f"reference-{job.run_id}", error=lost, lost=True)

    table, _ = sweep(tmp_path, see=see)
    found = {(row["seed"], row["status"]) for row in table.rows}
    assert found == {(0, "done"), (1, "failed")} and len(table.rows) == 8
    told = "the unloaded run it is compared with failed: its process died 3 times"
    assert {row["reason"] for row in table.rows if row["seed"] == 1} == {told}


def test_without_a_shared_folder_the_table_is_the_same(tmp_path: Path) -> None:
    def elsewhere(job: Job) -> Job:
        return msgspec.structs.replace(job, folder=str(tmp_path / "not here"))

    here, _ = sweep(tmp_path / "here")
    away, _ = sweep(tmp_path / "away", see=elsewhere)
    assert here.differences(away) == []
    for name in ("records", "references"):
        one, other = (tmp_path / side / name for side in ("here", "away"))
        assert {p.name for p in one.iterdir()} == {p.name for p in other.iterdir()}


def test_parts_together_are_the_whole(tmp_path: Path) -> None:
    whole, _ = sweep(tmp_path / "whole")
    store = Store(tmp_path / "parts")
    store.prepare()
    for index in range(3):
        plan = make_plan("window_washing", SHORT | AXES).shard(index, 3)
        part = Sweep(
            plan=plan, store=store, state=state_of(plan, store), watcher=Watcher()
        )
        part.run(HereCrew())  # type: ignore[arg-type]
    assert write_tables(store).differences(whole) == []


def test_a_full_disk_ends_it_with_a_sentence_and_keeps_what_is_whole(
    made: list[RunSettings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import scenarios.records.record_file as files

    real, left = files.save_record, [5]

    def save(path: Path, *rest: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            path.with_name(f".{path.name}.1.part").touch()
            path.with_name(f".{path.name}.1.part").unlink()
            raise OSError(28, "No space left on device")
        real(path, *rest)

    monkeypatch.setattr("scenarios.sweep.store.save_record", save)
    with pytest.raises(UnwrittenError, match="No space left on device"):
        sweep(tmp_path)
    kept = len(list((tmp_path / "rows").iterdir()))
    assert 0 < kept < 8
    left[0] = 100
    made.clear()
    table, _ = sweep(tmp_path)
    assert len(table.rows) == 8 and len(made) == 10 - 5


def test_rows_of_another_program_are_made_again_or_marked(tmp_path: Path) -> None:
    _, first = sweep(tmp_path)
    store = Store(tmp_path)
    for row in list(store.rows()):
        if row["seed"] == 0:
            store.put_row(row | {"kernel": "other", "identity": "0" * 16})
    state = state_of(first.plan, store)
    assert len(state.missing) == state.other_program == 4
    assert state_of(first.plan, store, keep_old=True).missing == []
    told: list[str] = []
    finish(store, told.append, page=False)
    assert any("rows of 2 programs, kernel" in line for line in told)


def test_the_making_is_the_only_thing_that_may_differ(tmp_path: Path) -> None:
    one, _ = sweep(tmp_path / "one")
    two, _ = sweep(tmp_path / "two")
    assert one.differences(two) == []
    changed = Table([row | {"mass_error_kg": 1.5} for row in two.rows])
    assert len(one.differences(changed)) == 8
    assert any(name.startswith(MADE) for name in one.columns)
    assert one.columns[:6] == [
        "run_id",
        "status",
        "reason",
        "payload_kg",
        "arm",
        "seed",
    ]


def test_what_was_drawn_for_a_seed_was_not_swept() -> None:
    rows = [
        {
            "run_id": f"{seed}{load}",
            "status": "done",
            "seed": seed,
            "payload_kg": load,
            "payload_offset_x_m": 0.01 * seed,
            "plant": "clean",
        }
        for seed in (1, 2)
        for load in (1.0, 2.0)
    ]
    assert Table(rows).swept() == ["payload_kg"]


def test_a_record_without_a_row_is_measured_and_not_run(
    made: list[RunSettings], tmp_path: Path
) -> None:
    before, _ = sweep(tmp_path)
    for path in (tmp_path / "rows").iterdir():
        path.unlink()
    made.clear()
    after, _ = sweep(tmp_path)
    assert made == [] and after.differences(before) == []


def test_no_records_are_kept_if_none_are_wanted(tmp_path: Path) -> None:
    table, _ = sweep(tmp_path, keep_records=False)
    assert len(table.rows) == 8 and not list((tmp_path / "records").iterdir())


def test_a_worker_that_does_not_see_the_reference_asks_for_it(tmp_path: Path) -> None:
    job = Job(
        run_id="x",
        settings=RunSettings(),
        reference="y",
        folder=str(tmp_path / "nowhere"),
        token=".seen",
    )
    assert do_job(job) == Answer(needs_reference=True)


def test_damaged_rows_count_as_missing(tmp_path: Path) -> None:
    _, first = sweep(tmp_path)
    paths = sorted((tmp_path / "rows").iterdir())
    for path, content in zip(paths, (b"", b"{", b"[]", b"null"), strict=False):
        path.write_bytes(content)
    assert len(state_of(first.plan, Store(tmp_path)).missing) == 4


def test_the_page_has_pictures_and_logs_of_the_worst(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scenarios.sweep.page.WORST", 2)
    monkeypatch.setattr("scenarios.sweep.figures.SHOWN", ("mass_error_kg",))
    sweep(tmp_path, {"payload_kg": (1.0, 8.0, 9.0), "arm": ("left", "right")})
    told: list[str] = []
    finish(Store(tmp_path), told.append, page=True)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "plots/mass_error_kg-payload_kg.png" in text
    assert "ZeroDivisionError: a bug" in text and "failures/" in text
    for name in ("mass_error_kg-map", "mass_error_kg-arm"):
        assert (tmp_path / "plots" / f"{name}.png").stat().st_size > 5000


def test_a_log_is_made_of_a_bad_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scenarios.sweep.page.WORST", 1)
    monkeypatch.setattr("scenarios.sweep.figures.SHOWN", ())
    sweep(tmp_path, {"payload_kg": (1.0, 8.0)})
    finish(Store(tmp_path), lambda _: None, page=True)
    (log,) = (tmp_path / "logs").iterdir()
    assert log.suffix == ".mcap" and log.stat().st_size > 1000
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert f"logs/{log.name}" in page
