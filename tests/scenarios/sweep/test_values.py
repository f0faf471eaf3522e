"""Lists as users write them, right and wrong."""

from __future__ import annotations

import pytest

from scenarios.errors import ScenarioError
from scenarios.sweep.axes import axes_of, offsets
from scenarios.sweep.values import integers, numbers, parts_of, vectors, words


def test_lists_and_ranges() -> None:
    assert integers("--seed", "0:4") == (0, 1, 2, 3)
    assert integers("--seed", "7, 0:6:3") == (7, 0, 3)
    assert integers("--seed", "3:0:-1") == (3, 2, 1)
    assert numbers("--payload", "1,2.5,5") == (1.0, 2.5, 5.0)
    assert numbers("--payload", "0:0.5:0.1") == (0.0, 0.1, 0.2, 0.3, 0.4)
    assert words("--arm", "left, right") == ("left", "right")
    assert vectors("--start", "0:0:90,-1:0:0", 3) == ((0, 0, 90), (-1, 0, 0))


def test_commas_within_brackets_and_quotes_do_not_part() -> None:
    assert parts_of("--set", '[1,2],{a=1,b=2},"x,y"') == [
        "[1,2]",
        "{a=1,b=2}",
        '"x,y"',
    ]


@pytest.mark.parametrize(
    "text", ["", ",", "1,,2", "1,", "five", "0:", "0:0", "0:5:0", "5:0", "0:1:2:3"]
)
def test_what_is_no_list_is_refused_by_its_option(text: str) -> None:
    with pytest.raises(ScenarioError, match="--seed"):
        integers("--seed", text)


@pytest.mark.parametrize(
    "text", ["nan:1:0.1", "0:inf:1", "0:1:nan", "1,1.0", "0:1:1e-9"]
)
def test_ranges_without_an_end_and_values_twice_are_refused(text: str) -> None:
    with pytest.raises(ScenarioError, match="--payload"):
        numbers("--payload", text)


def test_axes_are_fields_and_the_seed_is_the_fastest() -> None:
    axes = axes_of(
        {"seed": "0:2", "payload": "1,3", "plant": "hardware_twin", "arm": None},
        ["a.b=1,2", "c=[3,4]"],
    )
    assert list(axes) == ["plant", "payload_kg", "overrides", "seed"]
    assert axes["overrides"] == (("a.b=1", "c=[3,4]"), ("a.b=2", "c=[3,4]"))


def test_pushes_are_combined() -> None:
    asked = {"push": "none,10:0", "push-at": "1,2"}
    pushes = axes_of(asked, ())["push"]
    assert pushes[0] is None
    assert [(p.at_s, p.forward_N) for p in pushes[1:]] == [(1.0, 10.0), (2.0, 10.0)]
    with pytest.raises(ScenarioError, match="--push-at: is for a push"):
        axes_of({"push-at": "1"}, ())


@pytest.mark.parametrize(
    ("asked", "changes", "told"),
    [
        ({"arm": "left,middle"}, (), "--arm middle"),
        ({"plant": "dirty"}, (), "--plant dirty"),
        ({"estimator": "magic"}, (), "magic"),
        ({"fault": "torque"}, (), "--fault"),
        ({}, ("a.b",), "--set a.b"),
        ({}, ("a.b=",), "--set a.b="),
    ],
)
def test_what_cannot_be_is_refused(
    asked: dict[str, str], changes: tuple[str, ...], told: str
) -> None:
    with pytest.raises(Exception, match=told):
        axes_of(asked, changes)


def test_offsets_belong_to_the_seed() -> None:
    few, many = offsets(0.03, [4, 7]), offsets(0.03, range(200))
    assert few[4] == many[4] and few[4] != few[7]
    spread = [value for vector in many.values() for value in vector]
    assert 0.025 < (sum(v * v for v in spread) / len(spread)) ** 0.5 < 0.035
    with pytest.raises(ScenarioError, match="--payload-offset-sd"):
        offsets(-1.0, [0])
