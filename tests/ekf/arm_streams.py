"""An arm of six joints on sinusoids, with a payload from some time on."""

import numpy as np
import pinocchio as pin
from ekf_robots import Motion, build_arm, with_payload

from ekf import JointLog

LINK = "J5"
CENTRE = (0.0, 1.0, 0.0, 0.8, 0.0, 0.5)
PAYLOAD_KG = 2.0
COM_M = (0.02, -0.03, 0.1)


def loaded_log(
    *,
    payload_kg=PAYLOAD_KG,
    com_m=COM_M,
    at_s=0.0,
    duration_s=3.0,
    rate_hz=200.0,
    noise=(0.0, 0.0),
    accelerations=True,
    seed=0,
):
    """Samples of the arm; noise on velocity and torque."""
    empty = build_arm()
    full = with_payload(empty, LINK, payload_kg, com_m) if payload_kg else empty
    motion = Motion(empty, CENTRE, 0.4, seed=3)
    data = full.createData()
    times = np.arange(round(duration_s * rate_hz)) / rate_hz
    q, v, a = (np.array(x) for x in zip(*map(motion, times), strict=True))
    tau = np.array(
        [
            pin.rnea(full if t >= at_s else empty, data, *row)
            for t, row in zip(times, zip(q, v, a, strict=True), strict=True)
        ]
    )
    rng = np.random.default_rng(seed)
    v = v + noise[0] * rng.normal(size=v.shape)
    tau = tau + noise[1] * rng.normal(size=tau.shape)
    return JointLog(time_s=times, q=q, v=v, a=a if accelerations else None, tau=tau)


def channels(sample):
    """A sample as named channels."""
    named = {"t": sample.time_s}
    for prefix, values in (("q", sample.q), ("qd", sample.v), ("tau", sample.tau)):
        named |= {f"{prefix}_{i}": float(x) for i, x in enumerate(values)}
    return named
