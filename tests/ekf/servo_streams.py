"""A two-joint arm on servos whose torques are exact but whose angles are counts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

COUNT_RAD = 2.0 * np.pi / 4096.0
STIFFNESS = np.array([40.0, 12.0])
COULOMB = np.array([0.15, 0.1])
VISCOUS = np.array([1.5, 0.8])
DT_S = 0.005
TEMPLATE_KG = 0.2


def swinging_arm(payload_kg: float = 0.0) -> pin.Model:
    """Two links in a vertical plane, a point payload at the end of the second."""
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelRY(), pin.SE3.Identity(), "shoulder")
    link = pin.Inertia(0.3, np.array([0.1, 0.0, 0.0]), np.diag([1e-4, 1e-3, 1e-3]))
    model.appendBodyToJoint(joint, link, pin.SE3.Identity())
    reach = pin.SE3(np.eye(3), np.array([0.2, 0.0, 0.0]))
    joint = model.addJoint(joint, pin.JointModelRY(), reach, "elbow")
    model.appendBodyToJoint(joint, link, pin.SE3.Identity())
    payload = pin.Inertia(payload_kg, np.array([0.2, 0.0, 0.0]), np.zeros((3, 3)))
    model.appendBodyToJoint(joint, payload, pin.SE3.Identity())
    model.armature = np.full(2, 0.02)
    return model


def servo_samples(
    payload_kg: float, *, seconds: float = 4.0, counts: bool = True
) -> Iterator[tuple[float, np.ndarray, np.ndarray, np.ndarray]]:
    """(time, q, v, goal) from rest, goals exact for the true angles."""
    model = swinging_arm(payload_kg)
    data, last = model.createData(), None
    for k in range(round(seconds / DT_S)):
        q, _, _ = _motion(k * DT_S)
        read = COUNT_RAD * np.round(q / COUNT_RAD) if counts else q
        middle = _motion((k - 0.5) * DT_S)
        friction = COULOMB * np.sign(middle[1]) + VISCOUS * middle[1]
        torque = pin.rnea(model, data, *middle) + friction
        v = np.zeros(2) if last is None else (read - last) / DT_S
        last = read
        yield k * DT_S, read, v, middle[0] + torque / STIFFNESS


def _motion(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    size, rate = np.array([0.5, 0.4]), np.array([3.0, 4.3])
    angle = rate * t
    return (
        size * (1.0 - np.cos(angle)),
        size * rate * np.sin(angle),
        size * rate**2 * np.cos(angle),
    )
