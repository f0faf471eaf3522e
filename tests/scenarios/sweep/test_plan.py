"""Plans: every combination once, references shared, parts of equal size."""

from __future__ import annotations

import time

import msgspec
import numpy as np
import pytest

from models.errors import ModelsError
from scenarios.library.run_settings import run_settings
from scenarios.records.run_digest import RunDigests
from scenarios.run.runner import run
from scenarios.run.settings import RunSettings
from scenarios.sweep.axes import offsets
from scenarios.sweep.plan import make_plan, parse_shard, reference_of

TWO_HUNDRED = {
    "plant": ("hardware_twin",),
    "payload_kg": (1.0, 2.0, 3.0, 5.0, 8.0),
    "arm": ("left", "right"),
    "seed": tuple(range(20)),
}


def test_two_hundred_runs_share_twenty_references() -> None:
    plan = make_plan("window_washing", TWO_HUNDRED)
    assert plan.asked == len(plan.runs) == 200
    assert len(plan.references) == 20
    assert {run.reference for run in plan.runs} == set(plan.references)


def test_times_and_estimators_share_references_too() -> None:
    axes = {
        "estimator": ("ekf_supervised", "momentum_observer"),
        "prior": ("inertia_only", "all"),
        "at_s": (1.0, 2.0),
    }
    assert len(make_plan("window_washing", axes).references) == 1
    # Its twin keeps the estimator.
    assert (
        len(make_plan("squat_pickup", {"prior": ("inertia_only", "all")}).references)
        == 2
    )
    assert make_plan("balance", {"seed": (0, 1)}).references == {}


def test_a_shared_reference_is_the_twin_to_the_last_bit() -> None:
    short = {"duration_s": 0.3, "at_s": 0.1, "plant": "hardware_twin", "seed": 3}
    right = run_settings("window_washing", arm="right", payload_kg=2.0, **short)
    shared, twin = (
        reference_of(right),
        msgspec.structs.replace(right, payload_kg=0.0, estimator="none"),
    )
    assert shared is not None and shared.arm == "left" != twin.arm
    a, b = run(shared), run(twin)
    for name in ("q", "v", "tau_Nm", "com_m"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    np.testing.assert_array_equal(a.tips["right"].world_m, b.tips["right"].world_m)


def test_places_of_the_load_belong_to_the_seed_and_not_to_the_reference() -> None:
    drawn = offsets(0.03, range(3))
    axes = {"payload_kg": (1.0, 2.0), "arm": ("left", "right"), "seed": (0, 1, 2)}
    plan = make_plan("window_washing", axes, drawn)
    assert len(plan.runs) == 12 and len(plan.references) == 3
    for one in plan.runs:
        assert one.settings.payload_offset_m == drawn[one.settings.seed]
    assert {r.payload_offset_m for r in plan.references.values()} == {(0.0, 0.0, 0.0)}


def test_equal_runs_are_one() -> None:
    plan = make_plan(
        "standing", {"payload_kg": (5.0, None), "duration_s": (1.0,), "at_s": (0.5,)}
    )
    assert plan.asked == 2 and len(plan.runs) == 1


def test_parts_are_equal_and_whole_and_share_their_references() -> None:
    plan = make_plan("window_washing", TWO_HUNDRED)
    parts = [plan.shard(index, 7) for index in range(7)]
    assert {len(part.runs) for part in parts} <= {28, 29}
    ids = [run.run_id for part in parts for run in part.runs]
    assert sorted(ids) == sorted(run.run_id for run in plan.runs)
    assert sum(len(part.references) for part in parts) <= 20 + 6


def test_more_parts_than_runs_leave_some_empty() -> None:
    plan = make_plan("standing", {"seed": (0, 1, 2)})
    assert [len(plan.shard(k, 5).runs) for k in range(5)] == [0, 1, 0, 1, 1]


def test_parts_are_named_from_nought() -> None:
    assert parse_shard("0/1") == (0, 1)
    for text in ("1/1", "2", "-1/3", "0/0", "a/b", "1/2/3"):
        with pytest.raises(ModelsError, match="--shard"):
            parse_shard(text)


def test_a_combination_that_cannot_be_run_is_refused_before_any_runs() -> None:
    with pytest.raises(ModelsError, match="--payload 1000"):
        make_plan("standing", {"payload_kg": (1.0, 1000.0)})
    with pytest.raises(ModelsError, match="no_such"):
        make_plan("standing", {"overrides": (("mpc.no_such=1",),)})


def test_a_digest_depends_on_settings_and_robot() -> None:
    digests = RunDigests()
    plain = RunSettings()
    others = [
        RunSettings(seed=1),
        RunSettings(robot="g1"),
        RunSettings(overrides=("mpc.iterations=2",)),
    ]
    names = {digests(settings) for settings in (plain, *others)}
    assert len(names) == 4 and digests(RunSettings()) in names


def test_ten_thousand_runs_are_planned_in_seconds() -> None:
    started = time.perf_counter()
    plan = make_plan("window_washing", TWO_HUNDRED | {"seed": tuple(range(1000))})
    assert len(plan.runs) == 10_000 and len(plan.references) == 1000
    assert time.perf_counter() - started < 20.0
