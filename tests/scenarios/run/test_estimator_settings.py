"""The supervisor's noise and smallest loads go with a robot's size."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

from ekf import SupervisorSettings
from ekf.errors import InvalidSettingError
from ekf.signals.aligner import AlignedSample
from models.catalogue import settings_path
from scenarios.cli import main
from scenarios.exit_codes import EXIT_BAD_INPUT
from scenarios.run.adaptation import estimator_for
from scenarios.run.estimator_settings import supervisor_settings
from scenarios.run.robot_fit import check_fit
from scenarios.studies.estimators.estimation import run_estimator
from scenarios.studies.estimators.streams.so101 import motors_stream
from wbmpc.robot import Robot
from wbmpc.settings import load_settings


def test_the_papers_robot_has_the_defaults() -> None:
    assert supervisor_settings(Robot.load("alexander")) == SupervisorSettings()


def test_a_robot_of_half_the_weight_has_half_the_forces() -> None:
    small, papers = supervisor_settings(Robot.load("g1")), SupervisorSettings()
    assert small.noise.force_N == pytest.approx(0.5 * papers.noise.force_N)
    assert small.events.smallest_kg == pytest.approx(0.5 * papers.events.smallest_kg)
    assert small.noise.joints_Nm < small.noise.force_N / papers.noise.force_N


def test_what_the_settings_state_is_final() -> None:
    """It is not scaled by the robot's size, and everything else is."""
    stated = (
        "estimator.supervisor.gate_sigma=4",
        "estimator.supervisor.noise.force_N=8.5",
        "estimator.supervisor.events.alarm=30",
    )
    told = supervisor_settings(Robot.load("g1", stated))
    usual = supervisor_settings(Robot.load("g1"))
    assert told == replace(
        usual,
        gate_sigma=4.0,
        noise=replace(usual.noise, force_N=8.5),
        events=replace(usual.events, alarm=30.0),
    )


def test_every_number_of_the_supervisor_can_be_set() -> None:
    usual = supervisor_settings(Robot.load("alexander"))
    groups = {"": usual, "events.": usual.events, "noise.": usual.noise}
    keys = {
        f"{group}{field.name}": getattr(part, field.name)
        for group, part in groups.items()
        for field in fields(part)
        if isinstance(getattr(part, field.name), float) and field.name != "tick_s"
    }
    assert len(keys) > 30
    changes = (f"estimator.supervisor.{key}={2.0 * now}" for key, now in keys.items())
    told = supervisor_settings(Robot.load("alexander", tuple(changes)))
    for key, now in keys.items():
        assert attrgetter(key)(told) == 2.0 * now, key


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("gate_sgma=4", "gate_sgma: unknown key; did you mean gate_sigma"),
        ("events.alrm=4", "events.alrm: unknown key; did you mean alarm"),
        ("events=4", "events is 4: must be a table"),
        ("gate_sigma=-1", "gate_sigma is -1.0: must be"),
        ("gate_sigma=true", "gate_sigma is True: must be a number"),
        ("gate_sigma='4'", "gate_sigma is '4': must be a number"),
        ("gate_sigma=nan", "gate_sigma is nan: must be a finite number"),
        ("tick_s=0.1", "mpc.tick_dt_s"),
        ("gate_sigma.x=1", "gate_sigma is {'x': 1}: must be a number"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--no-ekf"]])
def test_a_wrong_one_is_refused_before_anything_starts(
    assignment: str,
    told: str,
    options: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    change = f"estimator.supervisor.{assignment}"
    argv = ["run", "standing", "--no-files", *options, "--set", change]
    assert main(argv) == EXIT_BAD_INPUT
    error = capsys.readouterr().err
    assert "estimator.supervisor" in error and told in error


def test_a_settings_file_can_state_them(tmp_path: Path) -> None:
    shipped = settings_path("alexander")
    urdf = (shipped.parent / load_settings("alexander").urdf).as_posix()
    text = re.sub(
        "(?m)^urdf = .*$", f'urdf = "{urdf}"', shipped.read_text(encoding="utf-8")
    )
    text += "\n[estimator.supervisor.events]\nalarm = 25\n"
    file = tmp_path / "settings.toml"
    file.write_text(text, encoding="utf-8")
    assert supervisor_settings(Robot.load(str(file))).events.alarm == 25.0
    file.write_text(text.replace("alarm = 25", "alrm = 25"), encoding="utf-8")
    found = [finding.sentence() for finding in check_fit(load_settings(str(file)))]
    assert any("estimator.supervisor.events.alrm" in sentence for sentence in found)


def test_a_joint_at_its_limit_is_told_to_the_filter() -> None:
    robot = Robot.load("alexander")
    adaptation = estimator_for(robot)
    nv = robot.model.nv
    tau_Nm = np.zeros(nv - 6)
    for k, share in enumerate((0.5, 0.97, 1.0)):
        tau_Nm[3] = share * robot.torque_limits_Nm[3]
        sample = AlignedSample(
            time_s=0.01 * k,
            q=robot.home_q,
            v=np.zeros(nv),
            a=np.zeros(nv),
            tau=tau_Nm.copy(),
        )
        adaptation.accept(sample)
        adaptation.tick()
        assert adaptation.faults().get("ekf_saturated", 0) == int(share == 1.0)


def test_a_small_arm_has_small_thresholds() -> None:
    """0.2 kg in the jaws of an SO-101 are a load; for a humanoid they are noise."""
    stream = motors_stream()
    track = run_estimator("ekf_supervised", stream)
    assert any("attach" in event for event in track.events)
    assert track.mass_kg[-1] == pytest.approx(0.2, abs=0.06)


def test_scaling_needs_a_positive_factor() -> None:
    with pytest.raises(InvalidSettingError, match="torque"):
        SupervisorSettings().scaled(force=1.0, torque=0.0)
