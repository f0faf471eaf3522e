"""The estimator on your own data: arrays in, payload with its interval out.

No controller takes part; `wbmpc estimate LOG --robot NAME` reads such data from files.
"""

import numpy as np
import pinocchio as pin

from ekf import (
    InertialEKF,
    JointLog,
    PayloadReport,
    StreamingSupervisedEKF,
    torque_variance,
)

PAYLOAD = pin.Inertia(2.0, np.array([0.0, 0.0, 0.1]), np.zeros((3, 3)))
FROM_S = 1.0


def my_data(model: pin.Model) -> JointLog:
    """Yours instead: times [s], angles [rad], velocities [rad/s] and torques [Nm]."""
    loaded = model.copy()
    loaded.inertias[6] = loaded.inertias[6] + PAYLOAD
    times = np.arange(600) / 200.0
    rate, reach = np.linspace(2.0, 5.0, 6), np.linspace(0.3, 0.6, 6)
    angle = np.outer(times, rate)
    q = np.array([0.0, 1.0, 0.0, 0.8, 0.0, 0.5]) + reach * np.sin(angle)
    v, a = reach * rate * np.cos(angle), -reach * rate**2 * np.sin(angle)
    tau = np.random.default_rng(0).normal(scale=0.3, size=q.shape)
    for k, time_s in enumerate(times):
        plant = loaded if time_s >= FROM_S else model
        tau[k] += pin.rnea(plant, plant.createData(), q[k], v[k], a[k])
    return JointLog(time_s=times, q=q, v=v, tau=tau)


def main() -> PayloadReport:
    """What the last link carries at the end."""
    model = pin.buildSampleModelManipulator()  # yours: pin.buildModelFromUrdf(path)
    ekf = InertialEKF(
        model,
        [model.names[6]],
        measurement_variance=torque_variance(model, joints=30.0),
    )
    estimator = StreamingSupervisedEKF(model, ekf)
    for sample in my_data(model):
        estimator.learn_one(sample)
    for event in estimator.events:
        print(f"{event.time_s:.2f} s: {event.sentence()}")
    report, (low, high) = estimator.report, estimator.report.interval_kg
    print(f"{report.mass_kg:.2f} kg, {low:.2f} to {high:.2f} kg, at {report.com_m} m")
    return report


if __name__ == "__main__":
    main()
