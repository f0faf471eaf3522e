"""Own estimator in the loop: the left elbow's torque as a scale.

The loop asks an `InertiaSource` every 10 ms what to write into the MPC's model. An
estimator of the form `ekf.PayloadEstimator` needs no such class: as an entry of
`scenarios/run/estimators.py` it is `wbmpc run --estimator NAME` and reads logs as well.
"""

import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc import ControlLoop, InertiaUpdate, MujocoPlant, Payload, Robot
from wbmpc.reference import home_reference


class ElbowScale:
    """Mass at the left tip that explains what the elbow carries beyond the forearm."""

    def __init__(self, robot: Robot) -> None:
        """Start without a load."""
        self._model, self._data = robot.model, robot.model.createData()
        self._tip = robot.frame_id(robot.arms["left"].tip_frame)
        self.joint_ids = [robot.model.frames[self._tip].parentJoint]
        self._row = robot.model.joints[self.joint_ids[0]].idx_v
        self.mass_kg = 0.0

    def observe(self, time_s: float, q: Array, v: Array, tau_Nm: Array) -> None:
        """Follow the mass with a time constant of 50 ms, at 1 kHz."""
        own_Nm = pin.computeGeneralizedGravity(self._model, self._data, q)[self._row]
        axes = pin.LOCAL_WORLD_ALIGNED
        up = pin.computeFrameJacobian(self._model, self._data, q, self._tip, axes)[2]
        found_kg = (tau_Nm[self._row - 6] - own_Nm) / (9.81 * up[self._row])
        self.mass_kg += 0.02 * (max(found_kg, 0.0) - self.mass_kg)

    def tick(self, plan: object = None) -> InertiaUpdate:
        """The forearm with a point mass at its tip."""
        tip_m = self._model.frames[self._tip].placement.translation
        load = pin.Inertia(self.mass_kg, tip_m, np.zeros((3, 3)))
        forearm = self._model.inertias[self.joint_ids[0]] + load
        return InertiaUpdate(published=forearm.toDynamicParameters()[None])


def main(payload_kg: float = 3.0) -> float:
    """The mass it finds [kg]."""
    robot = Robot.load("alexander")
    scale, plant, asked = ElbowScale(robot), MujocoPlant(robot), home_reference(robot)
    loop, state = ControlLoop(robot, scale), plant.state
    plant.set_payload(robot.arms["left"].tip_frame, Payload(mass_kg=payload_kg), 0.0)
    while state.time_s < 1.0:
        state = plant.step(loop.step(state, asked).tau_Nm)
    print(f"found {scale.mass_kg:.2f} kg")
    return scale.mass_kg


if __name__ == "__main__":
    main()
