"""The planar two-link robot of the residual learner's printed examples."""

import numpy as np
import pinocchio as pin


def two_link(payload_kg=0.0):
    """Two links of 1 m about the vertical; the payload adds to the second's mass."""
    model = pin.Model()
    first = pin.Inertia(1.0, np.array([0.5, 0.0, 0.0]), np.diag([0.01, 0.05, 0.05]))
    second = pin.Inertia(
        0.5 + payload_kg, np.array([0.5, 0.0, 0.0]), np.diag([0.005, 0.02, 0.02])
    )
    out = pin.SE3(np.eye(3), np.array([1.0, 0.0, 0.0]))
    one = model.addJoint(0, pin.JointModelRZ(), pin.SE3.Identity(), "joint1")
    model.appendBodyToJoint(one, first, pin.SE3.Identity())
    two = model.addJoint(one, pin.JointModelRZ(), out, "joint2")
    model.appendBodyToJoint(two, second, pin.SE3.Identity())
    return model


def torque(model, q, v, a):
    """Inverse dynamics."""
    return pin.rnea(model, model.createData(), q, v, a)


def stepped_samples(seed, *, payload_kg=(0.0, 0.5), noise=0.02, friction=(0.5, 0.5)):
    """400 random samples with a step at 200."""
    rng = np.random.default_rng(seed)
    q, v, a = (rng.uniform(-r, r, (400, 2)) for r in (1.2, 1.0, 1.0))
    models = [two_link(load) for load in payload_kg]
    tau = np.array(
        [
            torque(models[int(k >= 200)], q[k], v[k], a[k])
            + friction[int(k >= 200)] * v[k]
            + 0.2 * friction[int(k >= 200)] * np.sign(v[k])
            for k in range(400)
        ]
    )
    return list(zip(q, v, a, tau + noise * rng.normal(size=tau.shape), strict=True))
