"""Own robot: from a URDF to a humanoid that stands.

`python examples/own_robot.py my_robot.urdf` takes yours. `wbmpc init` writes the same
settings to a file that you can edit, and `wbmpc check` says what is wrong with a URDF.
"""

from __future__ import annotations

import sys

import numpy as np

from models import find_urdf
from wbmpc import ControlLoop, MujocoPlant, Robot, home_reference

END_S = 1.0


def main(urdf: str = "example-robot-data:g1") -> float:
    """How far the base moves while the robot stands [mm].

    Args:
        urdf: A file, or the name of a robot that is installed.
    """
    robot = Robot.from_urdf(find_urdf(urdf))
    groups = robot.settings.groups
    print(f"{robot.settings.name}: {len(robot.controlled_joints)} joints controlled")
    print(f"left arm: {', '.join(groups.left_arm)}")

    plant, reference = MujocoPlant(robot), home_reference(robot)
    loop, state = ControlLoop(robot), plant.reset(robot.home_q_full)
    start_m = state.q[:3]
    while state.time_s < END_S and plant.fault is None:
        state = plant.step(loop.step(state, reference).tau_Nm)

    moved_mm = 1e3 * float(np.linalg.norm(state.q[:3] - start_m))
    print(f"the base moved {moved_mm:.2f} mm in {state.time_s:.1f} s")
    return moved_mm


if __name__ == "__main__":
    main(*sys.argv[1:2])
