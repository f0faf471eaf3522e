"""Sentences stand on lines of their own, results are what was asked for."""

from __future__ import annotations

import io
import json
import sys

import pytest

from scenarios.commands.output import Bars, print_result, say
from scenarios.run.settings import RunSettings


def test_a_sentence_is_not_glued_to_the_progress_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    with Bars({"run": RunSettings(payload_kg=0.0)}) as bars:
        bars.show("run", 1.0)
        say("the live view has ended")
        bars.show("run", 2.0)
    (line,) = [x for x in written.getvalue().splitlines() if "has ended" in x]
    assert line.rpartition("\r")[2] == "wbmpc: the live view has ended"


def test_json_on_a_terminal_without_the_characters_is_json(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert print_result({"robot": "zwölf"}, "", as_json=True) == 0
    assert json.loads(raw.getvalue().decode("ascii")) == {"robot": "zwölf"}
