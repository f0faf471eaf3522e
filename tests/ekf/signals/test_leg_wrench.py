"""Contact wrenches from leg torques."""

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import TIP_M, Motion, home, statics, with_payload

from ekf import LegTorqueWrench
from ekf.errors import InvalidSettingError, UnknownLinkError
from ekf.signals.wrench import WrenchStatus

FEET = ("LEFT_SOLE", "RIGHT_SOLE")


def _moving_tick(model, seed=2, time_s=0.9):
    q, v, a = Motion(model, home(model), 0.3, seed=seed)(time_s)
    return q, v, a, *statics(model, FEET, q, v, a)


@pytest.mark.parametrize("seed", range(5))
def test_recovers_the_wrenches_of_a_robot_in_motion(biped, seed):
    q, v, a, tau, truth = _moving_tick(biped, seed)
    result = LegTorqueWrench(biped, FEET).solve(q, v, a, tau)
    assert result.status is WrenchStatus.OK
    assert result.rank == (6, 6)
    assert np.allclose(result.wrenches, truth, atol=1e-7)


def test_a_payload_on_the_arm_does_not_disturb_them(biped):
    loaded = with_payload(biped, "LEFT_ELBOW_Y", 5.0, TIP_M)
    q, v, a, tau, truth = _moving_tick(loaded)
    result = LegTorqueWrench(biped, FEET).solve(q, v, a, tau)
    assert np.allclose(result.wrenches, truth, atol=1e-7)


def test_wrench_order_follows_the_feet(biped):
    q, v, a, tau, truth = _moving_tick(biped)
    result = LegTorqueWrench(biped, FEET[::-1]).solve(q, v, a, tau)
    assert np.allclose(result.wrenches, truth[::-1], atol=1e-7)


def test_leaving_out_the_legs_weight_loses_it(biped):
    """Standing: weightless legs carry the trunk only, not themselves."""
    q, v, a = home(biped), np.zeros(biped.nv), np.zeros(biped.nv)
    tau, _ = statics(biped, FEET, q, v, a)
    weight = 9.81 * pin.computeTotalMass(biped)
    full = LegTorqueWrench(biped, FEET).solve(q, v, a, tau).wrenches
    assert full[:, 2].sum() == pytest.approx(weight, rel=1e-6)
    weightless = biped.copy()
    legs = [n for n in biped.names if "HIP" in n or "KNEE" in n or "ANKLE" in n]
    for name in legs:
        weightless.inertias[biped.getJointId(name)] = pin.Inertia.Zero()
    naive = LegTorqueWrench(weightless, FEET).solve(q, v, a, tau).wrenches
    assert abs(naive[:, 2].sum() - weight) > 100.0


def test_armature_of_the_legs_is_in_it(biped):
    q, v, a, tau, truth = _moving_tick(biped)
    without = biped.copy()
    without.armature = np.zeros(biped.nv)
    result = LegTorqueWrench(without, FEET).solve(q, v, a, tau)
    assert np.abs(result.wrenches - truth).max() > 1e-3


def test_five_joint_legs_are_solved_by_least_squares(five_joint_biped):
    model = five_joint_biped
    q, v, a, tau, _ = _moving_tick(model)
    result = LegTorqueWrench(model, FEET).solve(q, v, a, tau)
    assert result.rank == (5, 5)
    assert result.status is WrenchStatus.OK
    data = model.createData()
    missing = pin.rnea(model, data, q, v, a)
    missing[6:] -= tau
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    for foot, wrench, rows in zip(
        FEET, result.wrenches, (slice(6, 11), slice(11, 16)), strict=True
    ):
        frame = model.getFrameId(foot)
        jacobian = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
        assert np.allclose(jacobian[:, rows].T @ wrench, missing[rows], atol=1e-8)


def test_straight_knee_is_reported_and_bounded(biped):
    q = home(biped)
    for side in ("LEFT", "RIGHT"):
        for joint in ("HIP_Y", "KNEE_Y", "ANKLE_Y"):
            q[biped.joints[biped.getJointId(f"{side}_{joint}")].idx_q] = 0.0
    v, a = np.zeros(biped.nv), np.zeros(biped.nv)
    tau, _ = statics(biped, FEET, q, v, a)
    bent = LegTorqueWrench(biped, FEET).solve(home(biped), v, a, tau)
    straight = LegTorqueWrench(biped, FEET, max_condition=1e2).solve(q, v, a, tau)
    assert bent.ok
    assert straight.status is WrenchStatus.ILL_CONDITIONED
    assert "leg" in straight.reason
    assert straight.condition.max() > 3 * bent.condition.max()
    assert straight.rank == (5, 5)
    assert np.abs(straight.wrenches).max() < 2e3


@pytest.mark.parametrize(
    ("position", "value", "status"),
    [
        (0, np.full(28, np.nan), WrenchStatus.NON_FINITE),
        (0, np.zeros(28), WrenchStatus.CONFIGURATION),
        (1, np.full(27, np.inf), WrenchStatus.NON_FINITE),
        (3, np.zeros(27), WrenchStatus.DIMENSION),
        (2, None, WrenchStatus.DIMENSION),
    ],
)
def test_bad_input_is_a_value(biped, position, value, status):
    q, v, a, tau, _ = _moving_tick(biped)
    inputs = [q, v, a, tau]
    inputs[position] = value
    result = LegTorqueWrench(biped, FEET).solve(*inputs)
    assert result.status is status
    assert np.isnan(result.wrenches).all()
    assert result.reason


def test_construction_errors(biped):
    with pytest.raises(UnknownLinkError, match="LEFT_SOLE"):
        LegTorqueWrench(biped, ["LEFT_SOL"])
    with pytest.raises(InvalidSettingError, match="leg joints of its own"):
        LegTorqueWrench(biped, ["LEFT_SOLE", "LEFT_KNEE_Y"])
    with pytest.raises(InvalidSettingError, match="below the root"):
        LegTorqueWrench(biped, ["root_joint"])
    with pytest.raises(InvalidSettingError, match="at least one"):
        LegTorqueWrench(biped, [])
    with pytest.raises(InvalidSettingError, match="sequence"):
        LegTorqueWrench(biped, "LEFT_SOLE")
    with pytest.raises(InvalidSettingError, match="max_condition"):
        LegTorqueWrench(biped, FEET, max_condition=0.0)
