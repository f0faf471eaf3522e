"""Gains of the contacts that the horizon cannot integrate are refused before a run."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from wbmpc.errors import SettingError
from wbmpc.ocp.contact_gains import check_contact_gains, growth
from wbmpc.ocp.problem import build_ocp
from wbmpc.robot import Robot
from wbmpc.settings import load_settings

SHIPPED = load_settings("alexander").mpc


def mpc(position: float, velocity: float, node_dt_s: float = 0.02):
    return msgspec.structs.replace(
        SHIPPED, baumgarte=(position, velocity), node_dt_s=node_dt_s
    )


GAINS = [
    (0.0, 20.0, 0.02),
    (0.0, 99.0, 0.02),
    (0.0, 101.0, 0.02),
    (0.0, 200.0, 0.02),
    (0.0, 200.0, 0.005),
    (100.0, 20.0, 0.02),
    (2500.0, 70.0, 0.02),
    (2500.0, 80.0, 0.02),
    (900.0, 60.0, 0.06),
    (900.0, 30.0, 0.03),
]


@pytest.mark.parametrize(("position", "velocity", "node_dt_s"), GAINS)
def test_what_is_refused_is_what_grows(
    position: float, velocity: float, node_dt_s: float
) -> None:
    """Two routes: the rule, and a thousand steps."""
    error, speed = 1e-3, 1e-3
    for _ in range(1000):
        speed += node_dt_s * (-position * error - velocity * speed)
        error += node_dt_s * speed
        if max(abs(error), abs(speed)) > 1e3:
            break
    grows = max(abs(error), abs(speed)) > 1.0
    settings = mpc(position, velocity, node_dt_s)
    assert (growth(settings) >= 4.0) == grows
    if grows:
        with pytest.raises(SettingError, match="baumgarte is .*: unstable at"):
            check_contact_gains(settings)
    else:
        check_contact_gains(settings)


@pytest.mark.parametrize(("velocity", "grows"), [(95.0, False), (105.0, True)])
def test_a_foot_of_the_problem_does_the_same(
    velocity: float, grows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A foot that moves a little at the start, over the nodes of the horizon."""
    monkeypatch.setattr("wbmpc.ocp.problem.check_contact_gains", lambda _: None)
    settings = load_settings("alexander", [f"mpc.baumgarte=[0.0, {velocity}]"])
    robot = Robot(settings)
    ocp = build_ocp(robot)
    x = np.concatenate([robot.home_q, np.zeros(ocp.state.nv)])
    x[robot.model.nq + 2] = 1e-5
    ocp.problem.x0 = x
    us = ocp.problem.quasiStatic([x] * ocp.problem.T)
    xs = np.array(ocp.problem.rollout(us))
    model, data = robot.model, robot.model.createData()
    speeds = []
    for state in xs:
        pin.forwardKinematics(model, data, state[: model.nq], state[model.nq :])
        sole = robot.frame_id(robot.soles[0].frame)
        speeds.append(np.linalg.norm(pin.getFrameVelocity(model, data, sole).vector))
    assert (speeds[25] > speeds[1]) == grows


def test_other_nodes_other_limits() -> None:
    check_contact_gains(mpc(0.0, 200.0, 0.005))
    with pytest.raises(SettingError, match="kd below 100 1/s"):
        check_contact_gains(mpc(0.0, 200.0, 0.02))
