r"""Conventions of MuJoCo and Pinocchio, and the only code that converts them.

| quantity              | Pinocchio               | MuJoCo                         |
|-----------------------|-------------------------|--------------------------------|
| base quaternion       | xyzw                    | wxyz                           |
| base linear velocity  | in the base frame       | in the world frame             |
| base angular velocity | in the base frame       | in the base frame              |
| base acceleration     | spatial, in the base    | classical, linear in the world |
| joint order           | tree walk, by link name | order of the bodies            |

Base twists are [linear, angular] in both. With R the rotation of the base in the
world, v_b and w_b its twist in the base frame and T = blkdiag(R, E):

$$\dot q_{mj} = T v, \qquad
  \dot v_{mj} = T a + [R (\omega_b \times v_b); 0], \qquad
  \tau = T^T \tau_{mj}$$
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.arrays import Array

Indices = NDArray[np.intp]

GRAVITY_M_PER_S2 = 9.81
"""Pinocchio's and MuJoCo's default."""
GRAVITY_WORLD_M_PER_S2 = np.array([0.0, 0.0, -GRAVITY_M_PER_S2])
BASE_NQ = 7
"""Configuration entries of the floating base."""
BASE_NV = 6
"""Velocity entries of the floating base."""
UNIT_TOLERANCE = 1e-6
"""A quaternion whose norm is off by less is taken as it is."""
NO_UNIT = 1e-3
"""One whose norm is off by more is no attitude."""


@dataclass(frozen=True, kw_only=True)
class JointMap:
    """Where each joint of a Pinocchio model lives in MuJoCo's vectors.

    Both vectors start with the floating base.

    Attributes:
        qpos: Index into `qpos` of each joint, in Pinocchio's joint order.
        dof: Index into `qvel` of each joint, in Pinocchio's joint order.
    """

    qpos: Indices
    dof: Indices


def xyzw_from_wxyz(quaternion_wxyz: Array) -> Array:
    """Move the scalar part of a quaternion to the end."""
    return quaternion_wxyz[[1, 2, 3, 0]]


def wxyz_from_xyzw(quaternion_xyzw: Array) -> Array:
    """Move the scalar part of a quaternion to the front."""
    return quaternion_xyzw[[3, 0, 1, 2]]


def unit_base(q: Array) -> tuple[Array, bool] | None:
    """A Pinocchio configuration whose base quaternion has unit length.

    Drift and single precision leave the norm off by a little, which scales rotation
    matrices and bends poses; a swap or a failed transfer leaves it off by a lot.

    Returns:
        The configuration, a new array if the norm was off by more than 1e-6, and
        whether it was; None if it was off by more than 1e-3, or is not finite.
    """
    norm = float(np.linalg.norm(q[3:BASE_NQ]))
    if not abs(norm - 1.0) <= NO_UNIT:
        return None
    if abs(norm - 1.0) <= UNIT_TOLERANCE:
        return q, False
    return np.concatenate([q[:3], q[3:BASE_NQ] / norm, q[BASE_NQ:]]), True


def rotation_from_xyzw(quaternion_xyzw: Array) -> Array:
    """Rotation matrix (3, 3) body to world of a unit quaternion.

    Written out, because it is needed several times per millisecond: 1.5 us, of which
    SciPy's `Rotation` makes 15 for the same numbers.
    """
    x, y, z, w = quaternion_xyzw.tolist()
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def base_rotation(q: Array) -> Array:
    """Rotation matrix (3, 3) base to world of a Pinocchio configuration."""
    return rotation_from_xyzw(q[3:BASE_NQ])


def q_from_qpos(qpos: Array, joints: JointMap) -> Array:
    """Pinocchio configuration of a MuJoCo one."""
    base = (qpos[:3], xyzw_from_wxyz(qpos[3:BASE_NQ]))
    return np.concatenate([*base, qpos[joints.qpos]])


def qpos_from_q(q: Array, joints: JointMap) -> Array:
    """MuJoCo configuration of a Pinocchio one."""
    qpos = np.empty_like(q)
    qpos[:3] = q[:3]
    qpos[3:BASE_NQ] = wxyz_from_xyzw(q[3:BASE_NQ])
    qpos[joints.qpos] = q[BASE_NQ:]
    return qpos


def v_from_qvel(qvel: Array, rotation: Array, joints: JointMap) -> Array:
    """Pinocchio velocity of a MuJoCo one; `rotation` is base to world."""
    base = (rotation.T @ qvel[:3], qvel[3:BASE_NV])
    return np.concatenate([*base, qvel[joints.dof]])


def qvel_from_v(v: Array, rotation: Array, joints: JointMap) -> Array:
    """MuJoCo velocity of a Pinocchio one; `rotation` is base to world."""
    qvel = np.empty_like(v)
    qvel[:3] = rotation @ v[:3]
    qvel[3:BASE_NV] = v[3:BASE_NV]
    qvel[joints.dof] = v[BASE_NV:]
    return qvel


def a_from_qacc(qacc: Array, v: Array, rotation: Array, joints: JointMap) -> Array:
    """Pinocchio acceleration (spatial base) of a MuJoCo one (classical base).

    Args:
        qacc: MuJoCo acceleration [m/s^2, rad/s^2].
        v: Pinocchio velocity at the same instant.
        rotation: Base to world.
        joints: Joint order of the two models.
    """
    a = v_from_qvel(qacc, rotation, joints)
    a[:3] -= np.cross(v[3:BASE_NV], v[:3])
    return a


def qacc_from_a(a: Array, v: Array, rotation: Array, joints: JointMap) -> Array:
    """MuJoCo acceleration (classical base) of a Pinocchio one (spatial base)."""
    qacc = qvel_from_v(a, rotation, joints)
    qacc[:3] += rotation @ np.cross(v[3:BASE_NV], v[:3])
    return qacc


def tau_from_qfrc(qfrc: Array, rotation: Array, joints: JointMap) -> Array:
    """Pinocchio generalised force (nv) of a MuJoCo one.

    The same map as for velocities, because T is orthogonal.
    """
    return v_from_qvel(qfrc, rotation, joints)


def mass_matrix_from_mujoco(mass: Array, rotation: Array, joints: JointMap) -> Array:
    """Pinocchio joint-space inertia M = T^T M_mj T (nv, nv) of a MuJoCo one."""
    order = np.concatenate([np.arange(BASE_NV), joints.dof])
    matrix = mass[np.ix_(order, order)]
    matrix[:3] = rotation.T @ matrix[:3]
    matrix[:, :3] = matrix[:, :3] @ rotation
    return matrix
