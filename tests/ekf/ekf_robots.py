"""Small inline robots and analytic motions, so that the tests need no file."""

import numpy as np
import pinocchio as pin

_JOINT_OF_AXIS = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}

# name, axis, parent, placement [m], mass [kg], com [m], inertia about the com [kg m^2]
LEG = (
    ("HIP_X", "x", None, (-0.162, 0.0595, -0.015), 2.33, (0.04, 0.09, -0.04), 5e-3),
    ("HIP_Z", "z", "HIP_X", (0.06, 0.1, -0.08), 0.77, (0.05, 0.0, -0.01), 3e-3),
    ("HIP_Y", "y", "HIP_Z", (0.1, -0.06, -0.05), 7.75, (0.01, 0.03, -0.11), 7e-2),
    ("KNEE_Y", "y", "HIP_Y", (0.0, 0.018, -0.32), 5.5, (0.04, 0.0, -0.12), 6e-2),
    ("ANKLE_Y", "y", "KNEE_Y", (0.0, 0.0, -0.41), 0.05, (0.0, 0.0, 0.0), 1e-5),
    ("ANKLE_X", "x", "ANKLE_Y", (0.0, 0.0, -0.012), 1.28, (0.04, 0.0, -0.04), 3e-3),
)
_ARM = (
    ("SHOULDER_Y", "y", "SPINE_Z", (-0.025, 0.1, 0.214), 2.99, (0.0, 0.12, 0.0), 9e-3),
    ("SHOULDER_X", "x", "SHOULDER_Y", (0.0, 0.157, 0.0), 0.97, (0, 0, -0.04), 2e-3),
    ("SHOULDER_Z", "z", "SHOULDER_X", (0.0, 0.035, 0.0), 2.91, (0, 0, -0.22), 2e-2),
    (
        "ELBOW_Y",
        "y",
        "SHOULDER_Z",
        (0.015, 0.0, -0.3127),
        0.616,
        (-0.0109, -0.0115, -0.1039),
        (0.0076, 0.0077, 0.00046),
    ),
)
_HOME = {"HIP_Y": -0.4, "KNEE_Y": 0.8, "ANKLE_Y": -0.4, "ELBOW_Y": -1.2}
TIP_M = np.array([0.0, 0.0, -0.41])


def _inertia(mass, com, about_com):
    return pin.Inertia(mass, np.array(com, float), np.diag(np.ones(3) * about_com))


def _add_joint(model, name, parent, axis, xyz, inertia):
    placement = pin.SE3(np.eye(3), np.array(xyz, dtype=float))
    joint = model.addJoint(parent, _JOINT_OF_AXIS[axis](), placement, name)
    model.addJointFrame(joint)
    model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    model.addBodyFrame(f"{name}_LINK", joint, pin.SE3.Identity(), -1)
    return joint


def _add_limb(model, side, rows):
    mirror = np.array([1.0, 1.0 if side == "LEFT" else -1.0, 1.0])
    for name, axis, parent, xyz, mass, com, about_com in rows:
        parent_name = {None: "root_joint", "SPINE_Z": "SPINE_Z"}.get(
            parent, f"{side}_{parent}"
        )
        inertia = _inertia(mass, np.array(com) * mirror, about_com)
        parent_id = model.getJointId(parent_name)
        _add_joint(model, f"{side}_{name}", parent_id, axis, xyz * mirror, inertia)


def build_biped(leg_rows=LEG) -> pin.Model:
    """27 velocity DoF, 67 kg: two legs of six joints, one spine, two arms of four."""
    model = pin.Model()
    root = model.addJoint(
        0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint"
    )
    model.addJointFrame(root)
    pelvis = _inertia(9.5, (-0.08, 0.0, -0.03), (0.034, 0.052, 0.06))
    model.appendBodyToJoint(root, pelvis, pin.SE3.Identity())
    for side in ("LEFT", "RIGHT"):
        _add_limb(model, side, leg_rows)
    torso = _inertia(7.03, (-0.02, 0.0, 0.33), (0.16, 0.15, 0.05))
    _add_joint(model, "SPINE_Z", root, "z", (0.0, 0.0, 0.018), torso)
    for side in ("LEFT", "RIGHT"):
        _add_limb(model, side, _ARM)
        ankle = model.getJointId(f"{side}_{leg_rows[-1][0]}")
        sole = pin.SE3(np.eye(3), np.array([0.045, 0.0, -0.0725]))
        frame = pin.Frame(f"{side}_SOLE", ankle, sole, pin.FrameType.OP_FRAME)
        model.addFrame(frame)
    model.armature = np.concatenate((np.zeros(6), np.full(model.nv - 6, 5e-3)))
    return model


def build_arm() -> pin.Model:
    """Fixed-base arm of six joints whose last link can be excited in every way."""
    model = pin.Model()
    parent = 0
    for index, axis in enumerate("zyyxyx"):
        inertia = _inertia(1.2 - 0.1 * index, (0.01, 0.02, -0.1), (8e-3, 7e-3, 2e-3))
        offset = (0.02, 0.01, -0.2 if index else 0.3)
        parent = _add_joint(model, f"J{index}", parent, axis, offset, inertia)
    model.armature = np.full(model.nv, 1e-2)
    return model


def home(model: pin.Model) -> np.ndarray:
    """Standing pose of the biped."""
    q = pin.neutral(model)
    for name in model.names:
        for joint, angle in _HOME.items():
            if name.endswith(f"_{joint}") and model.existJointName(name):
                q[model.joints[model.getJointId(name)].idx_q] = angle
    return q


def with_payload(model, joint, mass_kg, position_m):
    """Copy of the model with a point mass fixed to a joint's link."""
    loaded = model.copy()
    joint_id = model.getJointId(joint)
    point = pin.Inertia(mass_kg, np.array(position_m), np.zeros((3, 3)))
    loaded.inertias[joint_id] = model.inertias[joint_id] + point
    return loaded


class Motion:
    """Sinusoids in every actuated joint and, with a free-flyer, in the base."""

    def __init__(self, model, centre, amplitude, seed, base_amplitude=0.05):
        """Draw frequencies and phases."""
        rng = np.random.default_rng(seed)
        self._model, self._centre = model, np.array(centre)
        self._root = 6 if model.nq != model.nv else 0
        amplitudes = np.full(model.nv, amplitude, dtype=float)
        amplitudes[: self._root] = base_amplitude
        self._amplitude = amplitudes
        self._rate = 2 * np.pi * rng.uniform(0.4, 1.2, model.nv)
        self._phase = rng.uniform(0, 2 * np.pi, model.nv)
        axis = rng.normal(size=3)
        self._axis = axis / np.linalg.norm(axis)

    def __call__(self, time_s):
        """q, v and dv/dt in Pinocchio's convention."""
        angle = self._rate * time_s + self._phase
        x = self._amplitude * np.sin(angle)
        v = self._amplitude * self._rate * np.cos(angle)
        a = -x * self._rate**2
        q = self._centre.copy()
        if self._root == 0:
            return q + x, v, a
        q[7:] += x[6:]
        self._move_base(q, x, v, a)
        return q, v, a

    def _move_base(self, q, x, v, a):
        rotation = pin.exp3(self._axis * x[3])
        omega, omega_rate = self._axis * v[3], self._axis * a[3]
        q[:3] += x[:3]
        q[3:7] = pin.Quaternion(rotation).coeffs()
        linear = rotation.T @ v[:3]
        a[:3] = rotation.T @ a[:3] - np.cross(omega, linear)
        v[:3], v[3:6], a[3:6] = linear, omega, omega_rate


def statics(model, feet, q, v, a):
    """Joint torques and contact wrenches (least norm) that produce the motion."""
    data = model.createData()
    total = pin.rnea(model, data, q, v, a)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    stacked = np.vstack(
        [
            pin.getFrameJacobian(
                model, data, model.getFrameId(foot), pin.LOCAL_WORLD_ALIGNED
            )
            for foot in feet
        ]
    )
    wrenches = np.linalg.lstsq(stacked[:, :6].T, total[:6], rcond=None)[0]
    joints = total - stacked.T @ wrenches
    return joints[6:], wrenches.reshape(-1, 6)


def random_consistent(rng) -> np.ndarray:
    """Inertial parameters of a random cloud of point masses."""
    points = rng.normal(scale=0.3, size=(6, 3))
    masses = rng.uniform(0.01, 2.0, 6)
    inertia = sum(
        (
            pin.Inertia(m, p, np.zeros((3, 3)))
            for m, p in zip(masses, points, strict=True)
        ),
        start=pin.Inertia.Zero(),
    )
    return inertia.toDynamicParameters()
