"""A rigid body of Pinocchio's as one of MuJoCo's."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin

from wbmpc.conventions import wxyz_from_xyzw


def pose(placement: pin.SE3) -> dict:
    """`pos` and `quat` of a MuJoCo element."""
    quaternion_xyzw = pin.Quaternion(placement.rotation).coeffs()
    return {"pos": placement.translation, "quat": wxyz_from_xyzw(quaternion_xyzw)}


def add_body(
    parent: mujoco.MjsBody, name: str, placement: pin.SE3, inertia: pin.Inertia
) -> mujoco.MjsBody:
    """Add a body with the very inertia given, not one of its shapes.

    Args:
        parent: Body it hangs on.
        name: Unique in the model.
        placement: In the parent.
        inertia: In the body's own frame.
    """
    about_com = inertia.inertia
    return parent.add_body(
        name=name,
        explicitinertial=True,
        mass=inertia.mass,
        ipos=inertia.lever,
        fullinertia=[
            *np.diag(about_com),
            about_com[0, 1],
            about_com[0, 2],
            about_com[1, 2],
        ],
        **pose(placement),
    )
