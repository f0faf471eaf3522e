"""Errors end a program with their code, and cross processes as they are."""

from __future__ import annotations

import pickle

import pytest

from models.errors import (
    ModelsError,
    SettingError,
    SettingsError,
    UnknownNameError,
    UnwrittenError,
)
from scenarios.errors import ScenarioError
from teleop.web.errors import WebError
from wbmpc.arm.feetech.bus import BusError, BusLostError
from wbmpc.errors import (
    InstallError,
    ModelMismatchError,
    ProcessLostError,
    RealTimeError,
    RobotError,
)

BAD_INPUT = (ModelsError, SettingsError, ScenarioError, WebError, BusError, RobotError)
BAD_END = (
    BusLostError,
    InstallError,
    ModelMismatchError,
    ProcessLostError,
    RealTimeError,
    UnwrittenError,
)


def test_exit_codes() -> None:
    assert {kind.exit_code for kind in BAD_INPUT} == {2}
    assert {kind.exit_code for kind in BAD_END} == {1}


@pytest.mark.parametrize(
    "error",
    [
        ModelMismatchError("plant and controller differ"),
        WebError("port taken"),
        SettingError("mpc.nodes", -1, "must be > 0", "settings.toml"),
        UnknownNameError("robot", "alxander", ["alexander", "g1"], "settings.toml"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_crosses_processes_as_it_is(error: ModelsError) -> None:
    error.add_note("said on the way")
    got = pickle.loads(pickle.dumps(error))
    assert type(got) is type(error)
    assert str(got) == str(error) and vars(got) == vars(error)
