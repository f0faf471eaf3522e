"""Closed loop: a humanoid stands, 5 kg appear on its left forearm, it finds them.

The plant says what it measures, the loop answers with torques. Every 10 ms the loop
asks its estimator for the inertias of the forearms, writes them into the model of the
MPC, and plans; every 1 ms it turns the plan into torques.
"""

from __future__ import annotations

from scenarios import estimator_for
from wbmpc import ControlLoop, MujocoPlant, Payload, Robot, home_reference

PAYLOAD_KG = 5.0
LOADED_AT_S, END_S = 0.3, 1.0


def main() -> dict[str, float]:
    """What each arm is estimated to carry at the end [kg]."""
    robot = Robot.load("alexander")
    plant, reference = MujocoPlant(robot), home_reference(robot)
    estimator = estimator_for(robot)  # or estimator_for(robot, "momentum_observer")
    loop = ControlLoop(robot, estimator)

    state = plant.reset(robot.home_q_full)
    tip_frame, loaded = robot.arms["left"].tip_frame, False
    while state.time_s < END_S:
        if not loaded and state.time_s >= LOADED_AT_S:
            plant.set_payload(tip_frame, Payload(mass_kg=PAYLOAD_KG), ramp_s=0.0)
            loaded = True
        command = loop.step(state, reference)
        state = plant.step(command.tau_Nm)

    for side, payload_kg in estimator.payload_kg.items():
        print(f"{side} forearm: {payload_kg:.2f} kg")
    return estimator.payload_kg


if __name__ == "__main__":
    main()
