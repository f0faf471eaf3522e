from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from sample_records import make_record

from scenarios.cli import main
from scenarios.records.mcap_log import write_log
from scenarios.records.topics import TOPICS, topic_of
from scenarios.report.layouts.foxglove import foxglove_layout
from scenarios.report.layouts.panels import PANELS
from scenarios.report.layouts.plotjuggler import plotjuggler_layout
from scenarios.studies.estimators.streams.mcap_source import McapSource
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> McapSource:
    path = tmp_path_factory.mktemp("log") / "log.mcap"
    record = make_record(
        Robot.load("alexander"), payload_kg=5.0, at_s=0.3, duration_s=1.0
    )
    write_log(path, record)
    return McapSource(path)


def test_every_curve_is_a_number_of_the_log(log: McapSource) -> None:
    wanted = {(c.topic, c.field) for panel in PANELS for c in panel.curves}
    found = set()
    from collections import Counter

    for topic, _, content in log.messages({t for t, _ in wanted}, Counter()):
        for of, field in wanted:
            value = content
            if of == topic:
                for name in field.split("."):
                    value = getattr(value, name)
                float(value)
                found.add((of, field))
    assert found == wanted


def test_the_declared_topics_are_those_of_a_log(log: McapSource) -> None:
    kinds = log.topics()
    for name, kind in kinds.items():
        assert topic_of(name).kind == kind
    seen = {topic_of(name).name for name in kinds}
    # The sample has no costs, and no events.
    assert {t.name for t in TOPICS} - seen <= {"/cost", "/rosout", "/estimator"}


def test_the_layout_of_foxglove_places_every_panel_once() -> None:
    layout = json.loads(foxglove_layout())
    placed: list[str] = []

    def walk(node: object) -> None:
        if isinstance(node, str):
            placed.append(node)
        else:
            assert isinstance(node, dict) and node["direction"] in ("row", "column")
            assert 0 < node["splitPercentage"] < 100
            walk(node["first"])
            walk(node["second"])

    walk(layout["layout"])
    assert sorted(placed) == sorted(layout["configById"])
    known = {"3D", "Plot", "RosOut", "StateTransitions"}
    assert {name.partition("!")[0] for name in placed} == known


def test_the_layout_of_plotjuggler_names_curves_as_it_does() -> None:
    root = ET.fromstring(plotjuggler_layout().encode())
    names = [curve.get("name") for curve in root.iter("curve")]
    assert "/feet/left/wrench/wrench/force/z" in names
    assert len(names) == sum(len(panel.curves) for panel in PANELS)
    for splitter in root.iter("DockSplitter"):
        assert int(splitter.get("count", 0)) == len(list(splitter))


def test_view_names_the_page_where_there_is_no_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    (tmp_path / "replay.html").write_text("<html></html>")
    assert main(["view", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert told.out.strip() == str(tmp_path / "replay.html")
    assert "no browser could be opened here" in told.err
    assert main(["view", str(tmp_path / "nothing")]) == 2
    assert "must be a folder that holds replay.html" in capsys.readouterr().err
    assert main(["view", str(tmp_path), "--save", "x.rrd"]) == 2
    assert "--save x.rrd: only with --rerun" in capsys.readouterr().err
