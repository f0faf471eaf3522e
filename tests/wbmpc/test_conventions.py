"""Conversions between MuJoCo and Pinocchio: by hand, and there and back."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from wbmpc import conventions
from wbmpc.conventions import JointMap

JOINTS = JointMap(qpos=np.array([9, 7, 8]), dof=np.array([8, 6, 7]))
HALF = np.sqrt(0.5)


def _random(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    quaternion_xyzw = rng.normal(size=4)
    quaternion_xyzw /= np.linalg.norm(quaternion_xyzw)
    q = np.concatenate([rng.normal(size=3), quaternion_xyzw, rng.normal(size=3)])
    return q, rng.normal(size=9), conventions.base_rotation(q)


@pytest.mark.parametrize("axis", [0, 2])
def test_quarter_turns_stay_about_their_axis(axis: int) -> None:
    """MuJoCo's yaw 90 read unswapped would be Pinocchio's roll 90."""
    wxyz = np.zeros(4)
    wxyz[0], wxyz[1 + axis] = HALF, HALF
    xyzw = conventions.xyzw_from_wxyz(wxyz)
    expected = np.zeros(4)
    expected[axis], expected[3] = HALF, HALF
    np.testing.assert_array_equal(xyzw, expected)
    np.testing.assert_array_equal(conventions.wxyz_from_xyzw(xyzw), wxyz)


@pytest.mark.parametrize(
    ("norm", "usable", "renormalized"),
    [
        (1 + 1e-9, True, False),
        (1 + 1e-5, True, True),
        (1 - 1e-5, True, True),
        (1.01, False, None),
        (2.0, False, None),
        (0.0, False, None),
        (np.nan, False, None),
    ],
)
def test_quaternions_of_another_length(
    norm: float, usable: bool, renormalized: bool | None
) -> None:
    """Within 1e-6 as they are, within 1e-3 renormalised, else none at all."""
    q, _, _ = _random(np.random.default_rng(3))
    scaled = q.copy()
    scaled[3:7] *= norm
    unit = conventions.unit_base(scaled)
    assert (unit is not None) is usable
    if unit is not None:
        assert unit[1] is renormalized
        np.testing.assert_allclose(unit[0], q, atol=1e-8)
        if not renormalized:
            assert unit[0] is scaled


def test_a_third_of_a_turn_about_the_diagonal_shows_no_swap() -> None:
    """All four numbers are equal: this attitude is no test of the order."""
    third = np.full(4, 0.5)
    np.testing.assert_array_equal(conventions.wxyz_from_xyzw(third), third)
    rotation = conventions.rotation_from_xyzw(third)
    np.testing.assert_allclose(rotation @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=1e-15)


@pytest.mark.parametrize("yaw_deg", [0.0, 90.0, 180.0])
def test_walking_is_the_same_in_the_body_at_any_yaw(yaw_deg: float) -> None:
    """0.5 m/s ahead and a turn of 0.2 rad/s."""
    half = np.deg2rad(yaw_deg) / 2.0
    qpos = np.zeros(10)
    qpos[3], qpos[6] = np.cos(half), np.sin(half)
    rotation = conventions.base_rotation(conventions.q_from_qpos(qpos, JOINTS))
    qvel = np.zeros(9)
    qvel[:3], qvel[5] = rotation @ [0.5, 0.0, 0.0], 0.2
    v = conventions.v_from_qvel(qvel, rotation, JOINTS)
    np.testing.assert_allclose(v[:6], [0.5, 0, 0, 0, 0, 0.2], atol=1e-15)


def test_attitudes_through_a_right_angle_of_pitch() -> None:
    """85 to 95 degrees in steps of 0.1: under 0.01 degree off, no NaN, no jump."""
    before = None
    for tenth in range(850, 951):
        truth = pin.rpy.rpyToMatrix(0.0, np.deg2rad(tenth / 10.0), 0.4)
        xyzw = pin.Quaternion(truth).coeffs()
        q = np.concatenate([np.zeros(3), xyzw, np.zeros(3)])
        qpos = conventions.qpos_from_q(q, JOINTS)
        rotation = conventions.base_rotation(conventions.q_from_qpos(qpos, JOINTS))
        off_rad = np.linalg.norm(pin.log3(truth.T @ rotation))
        assert np.rad2deg(off_rad) < 0.01
        if before is not None:
            step_rad = np.linalg.norm(pin.log3(before.T @ rotation))
            assert np.rad2deg(step_rad) < 0.11
        before = rotation


def test_rotation_is_pinocchios() -> None:
    """The matrix of a quaternion is the one Pinocchio builds."""
    q, _, rotation = _random(np.random.default_rng(0))
    theirs = pin.Quaternion(q[3:7]).toRotationMatrix()
    np.testing.assert_allclose(rotation, theirs, atol=1e-15)


def test_moving_along_world_x_with_yaw_90() -> None:
    """0.5 m/s along world x, yawed 90 degrees: to the robot's right."""
    yaw_wxyz = np.array([HALF, 0.0, 0.0, HALF])
    qpos = np.concatenate([np.zeros(3), yaw_wxyz, np.zeros(3)])
    qvel = np.array([0.5, 0.0, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0])
    q = conventions.q_from_qpos(qpos, JOINTS)
    v = conventions.v_from_qvel(qvel, conventions.base_rotation(q), JOINTS)
    np.testing.assert_allclose(v[:6], [0.0, -0.5, 0.0, 0.0, 0.0, 0.2], atol=1e-15)


def test_circling_at_constant_speed_has_no_spatial_acceleration() -> None:
    """Classical acceleration points to the centre, spatial acceleration is zero."""
    v = np.zeros(9)
    v[0], v[5] = 0.5, 0.2
    qacc = conventions.qacc_from_a(np.zeros(9), v, np.eye(3), JOINTS)
    np.testing.assert_allclose(qacc[:3], [0.0, 0.1, 0.0], atol=1e-15)


def test_joints_are_matched_by_the_map() -> None:
    """Each joint lands where the map says, in both vectors."""
    q = np.concatenate([np.zeros(6), [1.0], [0.1, 0.2, 0.3]])
    v = np.concatenate([np.zeros(6), [1.0, 2.0, 3.0]])
    qpos = conventions.qpos_from_q(q, JOINTS)
    qvel = conventions.qvel_from_v(v, np.eye(3), JOINTS)
    np.testing.assert_array_equal(qpos[7:], [0.2, 0.3, 0.1])
    np.testing.assert_array_equal(qvel[6:], [2.0, 3.0, 1.0])


@pytest.mark.parametrize("seed", range(10))
def test_round_trips(seed: int) -> None:
    """There and back to 1e-12: configuration, velocity, acceleration."""
    rng = np.random.default_rng(seed)
    q, v, rotation = _random(rng)
    a = rng.normal(size=9)
    qpos = conventions.qpos_from_q(q, JOINTS)
    qvel = conventions.qvel_from_v(v, rotation, JOINTS)
    qacc = conventions.qacc_from_a(a, v, rotation, JOINTS)
    back_q = conventions.q_from_qpos(qpos, JOINTS)
    back_v = conventions.v_from_qvel(qvel, rotation, JOINTS)
    back_a = conventions.a_from_qacc(qacc, v, rotation, JOINTS)
    for back, there in ((back_q, q), (back_v, v), (back_a, a)):
        np.testing.assert_allclose(back, there, atol=1e-12, rtol=0.0)


def test_power_and_energy_do_not_depend_on_the_convention() -> None:
    """v^T tau and v^T M v are the same in both."""
    rng = np.random.default_rng(1)
    _, v, rotation = _random(rng)
    root = rng.normal(size=(9, 9))
    mass_mj, qfrc = root @ root.T, rng.normal(size=9)
    qvel = conventions.qvel_from_v(v, rotation, JOINTS)
    tau = conventions.tau_from_qfrc(qfrc, rotation, JOINTS)
    mass = conventions.mass_matrix_from_mujoco(mass_mj, rotation, JOINTS)
    assert v @ tau == pytest.approx(qvel @ qfrc, abs=1e-12)
    assert v @ mass @ v == pytest.approx(qvel @ mass_mj @ qvel, abs=1e-12)


def test_spatial_acceleration_is_the_derivative_of_the_body_twist() -> None:
    """Finite difference of v along a motion with constant qacc."""
    rng = np.random.default_rng(2)
    _, v, rotation = _random(rng)
    a, step = rng.normal(size=9), 1e-6
    qacc = conventions.qacc_from_a(a, v, rotation, JOINTS)
    qvel = conventions.qvel_from_v(v, rotation, JOINTS) + step * qacc
    turned = rotation @ pin.exp3(step * v[3:6])
    later = conventions.v_from_qvel(qvel, turned, JOINTS)
    np.testing.assert_allclose((later - v) / step, a, atol=1e-4)
