"""The SO-101 with 0.2 kg in its jaws, on torque motors and on servos."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ekf import JointLog, SupervisorSettings
from scenarios.run.estimation_robot import EstimationRobot
from scenarios.studies.estimators.streams.robots import arm_from_model
from scenarios.studies.estimators.streams.stream import Stream
from scenarios.studies.so101.moving import Recorder, ServoLog, calibration_tour
from scenarios.studies.so101.task import Controllers
from wbmpc.arm.description import TIP, Arm
from wbmpc.arm.run import run_arm
from wbmpc.arm.servo_arm import ServoArm
from wbmpc.arm.servo_faults import NO_FAULTS, ServoFaults

PAYLOAD_KG = 0.2
TORQUE_VARIANCE, FILTER_VARIANCE = 0.01, 0.1
"""Of an arm whose torques are of the order of 1 Nm [(Nm)^2]."""

SCALE = 0.1
"""Of its loads and torques beside a humanoid's."""


def motors_stream() -> Stream:
    """Torques and states as they are."""
    return _stream("so101_motors", NO_FAULTS)


def servos_stream() -> Stream:
    """Readings of a servo bus: counts, their differences, torques asked for."""
    return _stream("so101_servos", ServoFaults())


def _stream(name: str, faults: ServoFaults) -> Stream:
    """Computed torque with the empty model from pose to pose, loaded from the start."""
    arm = Arm.load()
    make = Controllers.of_motors(arm)
    if faults.position_bridge:
        make = Controllers.of_servos(arm)
    recorder = Recorder(ServoArm(arm, payload_kg=PAYLOAD_KG, faults=faults))
    tour = calibration_tour(arm, 1)
    run_arm(
        recorder,
        make.computed_torque(),
        tour,
        start=np.zeros(len(arm.joint_names)),
        duration_s=tour.duration_s,
    )
    log = _joint_log(recorder.log())
    return Stream(
        name=name,
        robot=_robot(arm),
        log=log,
        truth_kg=np.full(len(log), PAYLOAD_KG),
        at_s=0.0,
        notes="loaded from the start",
    )


def _joint_log(log: ServoLog) -> JointLog:
    return JointLog(time_s=log.time_s, q=log.q, v=log.v, tau=log.tau_Nm)


def _robot(arm: Arm) -> EstimationRobot:
    robot = arm_from_model(arm.model, TIP, name="so101")
    ones = np.ones(arm.model.nv)
    return replace(
        robot,
        torque_variance=TORQUE_VARIANCE * ones,
        filter_variance=FILTER_VARIANCE * ones,
        supervisor=SupervisorSettings().scaled(force=SCALE, torque=SCALE),
    )
