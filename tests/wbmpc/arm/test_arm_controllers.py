"""Controllers and path: analytic cases."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from wbmpc.arm.adaptive import AdaptiveComputedTorque
from wbmpc.arm.computed_torque import ComputedTorque
from wbmpc.arm.controller import ArmController
from wbmpc.arm.description import Arm
from wbmpc.arm.interface import JointReference
from wbmpc.arm.joint_pd import JointPd
from wbmpc.arm.mujoco_arm import MujocoArm
from wbmpc.arm.reference import MinimumJerk, PoseTour
from wbmpc.arm.run import run_arm
from wbmpc.plant.interface import Measurement

ZERO = np.zeros(6)
POSE = np.array([0.6, 0.7, -0.8, 0.5, 0.4, 0.0])


class Known:
    """An estimate that knows the mass, and counts how often it was told."""

    def __init__(self, mass_kg: float) -> None:
        self.raw_mass_kg = self.mass_kg = mass_kg
        self.seen = 0

    def reset(self) -> None:
        self.seen = 0

    def observe(self, now: Measurement) -> None:
        self.seen += int(np.isfinite(now.q).all())


def at(q: np.ndarray, v: np.ndarray | None = None) -> Measurement:
    v = np.zeros(6) if v is None else v
    return Measurement(time_s=0.0, q=q, v=v, tau_Nm=np.zeros(6))


def hold(q: np.ndarray) -> JointReference:
    return JointReference(q=q, v=np.zeros(6), a=np.zeros(6))


def test_path_starts_and_ends_at_rest() -> None:
    path = MinimumJerk(np.zeros(6), POSE, 1.0)
    for time_s, q in (
        (-1.0, np.zeros(6)),
        (0.0, np.zeros(6)),
        (1.0, POSE),
        (9.0, POSE),
    ):
        now = path.at(time_s)
        assert now.q == pytest.approx(q)
        assert now.v == pytest.approx(np.zeros(6))
        assert now.a == pytest.approx(np.zeros(6))


def test_path_derivatives_against_differences() -> None:
    path, h = MinimumJerk(0.1 * POSE, POSE, 1.3), 1e-5
    for time_s in np.linspace(0.1, 1.2, 12):
        after, now, before = (path.at(time_s + d) for d in (h, 0.0, -h))
        assert now.v == pytest.approx((after.q - before.q) / (2 * h), abs=1e-8)
        assert now.a == pytest.approx((after.v - before.v) / (2 * h), abs=1e-6)


def test_a_tour_rests_at_every_pose() -> None:
    poses = [POSE, 0.5 * POSE]
    tour = PoseTour(np.zeros(6), poses, move_s=1.0, rest_s=0.3)
    assert tour.duration_s == pytest.approx(2.6)
    for time_s, q in ((0.0, ZERO), (1.1, POSE), (1.3, POSE), (2.5, poses[1])):
        assert tour.at(time_s).q == pytest.approx(q)
        assert tour.at(time_s).v == pytest.approx(ZERO)
    assert tour.at(99.0).q == pytest.approx(poses[1])
    assert tour.at(1.8).q == pytest.approx(0.75 * POSE)


def test_pd_is_a_spring_and_a_damper(arm: Arm) -> None:
    gains = arm.settings.joint_pd
    v = np.full(6, 0.01)
    torque = JointPd(arm, gains).torque(at(POSE, v), hold(POSE + 0.02))
    expected = 0.02 * np.array(gains.kp_Nm_per_rad) - v * gains.kd_Nms_per_rad
    assert torque == pytest.approx(expected)


def test_computed_torque_holds_weight_without_error(arm: Arm) -> None:
    for mass in (0.0, 0.2):
        controller = ComputedTorque(arm, arm.settings.computed_torque, payload_kg=mass)
        model = arm.loaded_model(mass)
        gravity = pin.computeGeneralizedGravity(model, model.createData(), POSE)
        assert controller.torque(at(POSE), hold(POSE)) == pytest.approx(gravity)


def test_adaptive_with_the_right_mass_is_computed_torque(arm: Arm) -> None:
    gains, rng = arm.settings.computed_torque, np.random.default_rng(0)
    estimate = Known(0.13)
    adaptive = AdaptiveComputedTorque(arm, gains, estimate)
    known = ComputedTorque(arm, gains, payload_kg=0.13)
    now = at(POSE, 0.1 * rng.normal(size=6))
    wanted = JointReference(q=POSE + 1e-3, v=now.v, a=rng.normal(size=6))
    assert adaptive.torque(now, wanted) == pytest.approx(known.torque(now, wanted))
    assert estimate.seen == 1


def test_torques_stay_within_the_limits(arm: Arm) -> None:
    controllers: list[ArmController] = [
        JointPd(arm, arm.settings.joint_pd),
        ComputedTorque(arm, arm.settings.computed_torque),
        AdaptiveComputedTorque(arm, arm.settings.computed_torque, Known(0.5)),
    ]
    for controller in controllers:
        torque = controller.torque(at(POSE), hold(POSE + 9.0))
        assert np.abs(torque).max() == pytest.approx(2.94)


def test_log_pairs_states_with_the_torques_they_caused(arm: Arm) -> None:
    controller = JointPd(arm, arm.settings.joint_pd)
    path = MinimumJerk(np.zeros(6), POSE, 1.0)
    log = run_arm(MujocoArm(arm), controller, path, start=np.zeros(6), duration_s=0.5)
    assert len(log.time_s) == 100 and log.fault is None
    assert np.isnan(log.raw_mass_kg).all()
    for k in (0, 50, 99):
        now = at(log.q[k], log.v[k])
        expected = controller.torque(now, path.at(log.time_s[k]))
        assert log.tau_Nm[k] == pytest.approx(expected)


def test_a_fault_ends_the_run_and_keeps_the_log(arm: Arm) -> None:
    class Breaks(JointPd):
        def torque(self, now: Measurement, wanted: JointReference) -> np.ndarray:
            if now.time_s < 0.05:
                return super().torque(now, wanted)
            return np.full(6, np.nan)

    controller = Breaks(arm, arm.settings.joint_pd)
    path = MinimumJerk(np.zeros(6), POSE, 1.0)
    log = run_arm(MujocoArm(arm), controller, path, start=np.zeros(6), duration_s=0.5)
    assert log.fault is not None and "not finite" in log.fault
    assert 10 <= len(log.time_s) <= 12 and np.isfinite(log.q_end).all()
