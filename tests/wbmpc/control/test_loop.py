"""The control loop with a source of inertias that is no estimator."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from wbmpc import (
    ControlLoop,
    InertiaUpdate,
    Measurement,
    MockPlant,
    Payload,
    Plan,
    Robot,
    home_reference,
)

LOAD_KG = 3.0


class KnownLoad:
    """A source that was told what the left forearm carries."""

    def __init__(self, robot: Robot, mass_kg: float) -> None:
        arm = robot.arms["left"]
        self.joint_ids = [robot.link_joint(arm.link)]
        tip = robot.model.frames[robot.frame_id(arm.tip_frame)].placement
        sphere = pin.Inertia.FromSphere(mass_kg, Payload(mass_kg=mass_kg).radius_m)
        link = robot.model.inertias[self.joint_ids[0]] + tip.act(sphere)
        self.parameters = link.toDynamicParameters()[None]
        self.samples: list[float] = []
        self.plans: list[Plan | None] = []

    def observe(self, time_s, q, v, tau_Nm) -> None:
        assert len(q) == 7 + len(tau_Nm) and len(v) == 6 + len(tau_Nm)
        self.samples.append(time_s)

    def tick(self, plan: Plan | None = None) -> InertiaUpdate:
        self.plans.append(plan)
        timing_ms = {"estimator": 2.0, "looking_up": 1.5}
        return InertiaUpdate(published=self.parameters, timing_ms=timing_ms)


def drive(
    robot: Robot, loop: ControlLoop, duration_s: float, load_kg: float
) -> list[Measurement]:
    """States of a closed loop in lock-step, as a user would write it."""
    plant, reference = MockPlant(robot), home_reference(robot)
    plant.set_payload(robot.arms["left"].tip_frame, Payload(mass_kg=load_kg), 0.0)
    states = [plant.state]
    while states[-1].time_s < duration_s:
        states.append(plant.step(loop.step(states[-1], reference).tau_Nm))
    return states


def test_a_step_plans_when_a_tick_is_due(robot: Robot) -> None:
    source = KnownLoad(robot, LOAD_KG)
    loop = ControlLoop(robot, source)
    plans = source.plans
    states = drive(robot, loop, 0.0295, LOAD_KG)
    assert len(plans) == 3 and len(source.samples) == len(states) - 1 == 30
    assert loop.last_tick is not None
    assert loop.last_tick.result.plan.time_s == pytest.approx(0.02)
    loop.step(states[0], home_reference(robot))
    assert len(plans) == 4, "a clock that was set back is a new tick"
    assert plans[-1] is not None and plans[-1].time_s == pytest.approx(0.02)


def test_what_is_published_is_in_the_model(robot: Robot) -> None:
    source = KnownLoad(robot, LOAD_KG)
    loop = ControlLoop(robot, source)
    drive(robot, loop, 0.005, LOAD_KG)
    body = loop.mpc.model.inertias[source.joint_ids[0]]
    np.testing.assert_allclose(body.toDynamicParameters(), source.parameters[0])
    assert robot.model.inertias[source.joint_ids[0]].mass < body.mass - 2.9
    tick = loop.last_tick
    assert tick is not None and tick.update is not None
    assert tick.update.published is source.parameters
    timing = tick.timing_ms
    assert timing["looking_up"] == 1.5
    assert timing["tick"] == pytest.approx(timing["mpc"] + 2.0)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 0.0, -1.0])
def test_an_impossible_inertia_is_counted_and_the_last_one_stays(
    robot: Robot, wrong: float
) -> None:
    source = KnownLoad(robot, LOAD_KG)
    loop = ControlLoop(robot, source)
    drive(robot, loop, 0.005, LOAD_KG)
    assert loop.faults() == {}
    good = loop.mpc.model.inertias[source.joint_ids[0]].toDynamicParameters()
    source.parameters = wrong * source.parameters
    drive(robot, loop, 0.025, LOAD_KG)
    assert loop.faults()["inertia_refused"] == 2, "at 10 and at 20 ms"
    kept = loop.mpc.model.inertias[source.joint_ids[0]].toDynamicParameters()
    np.testing.assert_array_equal(kept, good)
    assert loop.last_tick is not None and loop.last_tick.result.status.ok


def test_a_known_load_hardly_moves_the_arm(robot: Robot) -> None:
    sag = {}
    for name, source in (("told", KnownLoad(robot, LOAD_KG)), ("nominal", None)):
        states = drive(robot, ControlLoop(robot, source), 0.4, LOAD_KG)
        elbow = 7 + robot.joint_names.index("LEFT_ELBOW_Y")
        sag[name] = abs(states[-1].q[elbow] - states[0].q[elbow])
    assert sag["told"] < 0.2 * sag["nominal"]
