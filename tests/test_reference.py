"""The reference pages hold everything that is declared."""

from __future__ import annotations

import re

import declared
import msgspec

from scenarios.cli import COMMANDS, name_of
from scenarios.records.topics import TOPICS
from scenarios.report.metrics.results import RunMetrics
from wbmpc.settings import MpcSettings


def test_every_command_and_option_is_on_its_page() -> None:
    page = declared.commands_page()
    for command in COMMANDS:
        name = name_of(command)
        assert f"## wbmpc {name}\n" in page
        assert f"usage: wbmpc {name}" in page
    assert "--payload KG" in page and "\x1b" not in page
    assert "### wbmpc so101 bench" in page


def test_every_setting_has_unit_default_range_and_effect() -> None:
    page = declared.settings_page()
    for field in msgspec.structs.fields(MpcSettings):
        assert f"`mpc.{field.name}" in page
    row = next(r for r in page.splitlines() if r.startswith("| `mpc.node_dt_s`"))
    assert [c.strip() for c in row.split("|")[2:6]] == [
        "float",
        "s",
        "`0.02`",
        ">= 0.001, <= 0.5",
    ]
    assert "| `mpc.costs.wrench.weight` |" in page
    assert "| `EventSettings" not in page  # by key, not by class


def test_every_topic_and_field_is_on_its_page() -> None:
    page = declared.topics_page()
    for topic in TOPICS:
        assert f"| `{topic.name}` |" in page
        assert all(f"| `{field}` |" in page for field in topic.fields)


def test_every_metric_key_is_on_its_page() -> None:
    page = declared.metrics_page()
    for field in msgspec.structs.fields(RunMetrics):
        assert f"| `{field.name}` |" in page
    assert re.search(r"`tip\.NAME\.rmse_z_mm` \| float \| mm", page)
