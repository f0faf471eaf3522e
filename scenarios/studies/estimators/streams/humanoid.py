"""Logs of a standing humanoid as a stream: aligned signals and contact wrenches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ekf import JointLog, LegTorqueWrench
from ekf.model_lookup import root_dofs
from scenarios.errors import ScenarioError
from scenarios.run.estimation_robot import EstimationRobot
from scenarios.studies.estimators.streams.robots import humanoid
from scenarios.studies.estimators.streams.stream import Stream, aligned

if TYPE_CHECKING:
    from scenarios.records.record import RunRecord


def stand_on_feet(stream: Stream) -> Stream:
    """Align a stream, take known friction off, add wrenches from the leg torques."""
    robot = stream.robot
    prepared = aligned(stream)
    log = prepared.log
    assert log.a is not None
    tau = log.tau
    if robot.friction is not None:
        tau = tau - robot.friction.torque_Nm(log.v[:, root_dofs(robot.model) :])
    solver = LegTorqueWrench(robot.model, robot.feet)
    rows = zip(log.q, log.v, log.a, tau, strict=True)
    wrenches = np.array([solver.solve(*row).wrenches for row in rows])
    return replace(
        prepared,
        log=JointLog(
            time_s=log.time_s,
            q=log.q,
            v=log.v,
            a=log.a,
            tau=tau,
            wrenches=wrenches,
        ),
    )


def stream_of_record(record: RunRecord, robot: EstimationRobot | None = None) -> Stream:
    """Stream of one run.

    Args:
        record: The run.
        robot: With the loaded forearm as its link; found by the record if None.

    Raises:
        ScenarioError: Both forearms are loaded.
    """
    if record.settings.arm == "both":
        raise ScenarioError("arm both: a stream has its payload on one forearm")
    side = ("left", "right").index(record.settings.arm)
    if robot is None:
        from wbmpc.robot import Robot

        arms = Robot.load(record.settings.robot).arms
        robot = humanoid(record.settings.robot, list(arms.values())[side].tip_frame)
    raw = Stream(
        name=record.settings.scenario,
        robot=robot,
        log=JointLog(time_s=record.time_s, q=record.q, v=record.v, tau=record.tau_Nm),
        truth_kg=record.payload_kg[:, side],
        at_s=record.settings.at_s,
    )
    return stand_on_feet(raw)


def washing_stream(*, duration_s: float = 12.0, payload_kg: float = 5.0) -> Stream:
    """Simulate `window_washing` with the estimator in the loop, and log it.

    Raises:
        ModelsError: The run cannot be started.
    """
    from scenarios.run.runner import run
    from scenarios.run.settings import RunSettings

    settings = RunSettings(duration_s=duration_s, payload_kg=payload_kg)
    return replace(stream_of_record(run(settings)), name="humanoid_washing")
