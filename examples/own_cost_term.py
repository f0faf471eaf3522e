"""Own cost term: the right elbow does what the left one does.

A term is a residual with its derivatives, and settings that know how to build it. As
two files, in `wbmpc/residuals/` and `wbmpc/ocp/terms/`, it is a key of every robot.
"""

import numpy as np

from models.arrays import Array
from wbmpc import ControlLoop, MujocoPlant, Robot, WholeBodyMpc, home_reference
from wbmpc.ocp.cost import Part, SecondOrderCost
from wbmpc.ocp.scene import Scene
from wbmpc.residuals.base import ResponseResidual


class MirrorResidual(ResponseResidual):
    """r = e'' + Kd e' + Kp e with e = left elbow - right elbow [rad]."""

    def __init__(self, scene: Scene, kp: Array, kd: Array) -> None:
        """Find the elbows, the last joint of each arm."""
        super().__init__(scene.state, 1, scene.nu, scene.literal)
        self.kp, self.kd, self.de_dq = kp, kd, np.zeros((1, scene.state.nv))
        for arm, sign in {"left_arm": 1.0, "right_arm": -1.0}.items():
            self.de_dq[0, 6 + scene.robot.joints(arm)[-1]] = sign

    def _value(self, _data: object, q: Array, v: Array, a: Array | None) -> Array:
        response = self.kd * (self.de_dq @ v) + self.kp * (self.de_dq[:, 6:] @ q[7:])
        return response if a is None else response + self.de_dq @ a

    def _derivatives(self, *_: object) -> tuple[Array, Array, Array]:
        return self.kp * self.de_dq, self.kd * self.de_dq, self.de_dq


class Mirror(SecondOrderCost, frozen=True, kw_only=True):
    """Second-order response of the difference of both elbows [rad/s^2]."""

    def build(self, scene: Scene) -> list[Part]:
        """One residual of one row."""
        residual = MirrorResidual(scene, *self.gains(1))
        return [Part(residual=residual, activation=self.activation(1))]


def main(weight: float = 1.0) -> Array:
    """Bend of both elbows [rad] where the left one is asked to bend by 0.3 rad."""
    robot = Robot.load("alexander")
    mirror = Mirror(weight=weight, kp=(200.0,), kd=(28.0,))
    loop = ControlLoop(robot, mpc=WholeBodyMpc(robot, more_terms={"mirror": mirror}))
    plant, asked = MujocoPlant(robot), home_reference(robot)
    asked.q_upper[len(robot.joints("spine", "left_arm")) - 1] -= 0.3
    while plant.state.time_s < 0.6:
        plant.step(loop.step(plant.state, asked).tau_Nm)
    elbows = [7 + robot.joints_full(arm)[-1] for arm in ("left_arm", "right_arm")]
    bent: Array = robot.home_q_full[elbows] - plant.state.q[elbows]
    print("left and right elbow bend by", bent.round(3), "rad")
    return bent


if __name__ == "__main__":
    main()
