"""A plant that is not the model: MuJoCo with the imperfections of a robot."""

from __future__ import annotations

import numpy as np

from models.arrays import Array
from wbmpc.plant.actuators import ActuatorModel
from wbmpc.plant.imperfections import ImperfectionSettings
from wbmpc.plant.interface import ContactTruth, Measurement, Payload, SensorReadings
from wbmpc.plant.model_errors import (
    draw_friction_scales,
    draw_link_scales,
    scaled_model,
    write_joint_errors,
    write_link_scales,
    write_sole_compliance,
)
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.plant.sensors import SensorModel
from wbmpc.robot import Robot


class TwinPlant:
    """A `MujocoPlant` made imperfect: model errors, actuators, sensors.

    With all imperfections zero the physics are those of the wrapped plant bit for bit,
    and the readings are perfect.

    Each piece draws from a random stream of its own, so that switching one
    imperfection leaves the others' draws as they were. A reset starts the noise again.
    """

    def __init__(
        self,
        robot: Robot,
        plant: MujocoPlant,
        imperfections: ImperfectionSettings,
        *,
        seed: int = 0,
    ) -> None:
        """Take over a nominal plant and write the model errors into it.

        Check it against the controller's model before: that gate is about the nominal
        plant.

        Args:
            robot: What is simulated.
            plant: Nominal plant; belongs to the twin from now on.
            imperfections: What is wrong with it.
            seed: Of every constant error and of all noise.
        """
        self._plant, self.imperfections = plant, imperfections
        limits = robot.torque_limits_full_Nm
        # New streams go last: a child's draws depend on its place only.
        masses, actuators, sensors, friction = np.random.SeedSequence(seed).spawn(4)
        self.link_scales = draw_link_scales(
            robot, imperfections.link_mass_error, masses
        )
        self.true_model = scaled_model(robot, self.link_scales)
        write_link_scales(plant.mj_model, self.link_scales)
        self.friction_scales = draw_friction_scales(
            len(limits), imperfections.friction_error, friction
        )
        write_joint_errors(
            plant.mj_model, plant.joints, imperfections, limits, self.friction_scales
        )
        write_sole_compliance(plant.mj_model, robot, imperfections)
        self._actuators = ActuatorModel(imperfections, limits, plant.dt_s, actuators)
        self._sensors = SensorModel(imperfections, limits, plant.dt_s, sensors)
        self.reset(robot.home_q_full)

    @property
    def dt_s(self) -> float:
        """Length of one step."""
        return self._plant.dt_s

    @property
    def fault(self) -> str | None:
        """The name of the fault; None while all is well."""
        return self._plant.fault

    @property
    def readings(self) -> SensorReadings:
        """The robot's readings that arrived after the last step."""
        return self._readings

    @property
    def state(self) -> Measurement:
        """The simulator's state after the last step."""
        return self._plant.state

    def reset(self, q: Array) -> Measurement:
        """Start at rest in configuration `q`; payloads are removed, faults cleared.

        Raises:
            StartPoseError: As for `MujocoPlant.reset`.
        """
        truth = self._plant.reset(q)
        self._actuators.reset()
        self._readings = self._sensors.reset(truth)
        return truth

    def step(self, tau_Nm: Array) -> Measurement:
        """Ask for joint torques for one step; returns the truth."""
        applied = self._actuators.apply(tau_Nm)
        truth = self._plant.step(applied)
        if self._plant.fault is None:
            current = self._actuators.current_Nm
            self._readings = self._sensors.read(truth, current)
        return truth

    def contact_truth(self) -> ContactTruth:
        """Ground wrenches of the last step, for metrics."""
        return self._plant.contact_truth()

    def set_payload(self, frame: str, payload: Payload | None, ramp_s: float) -> None:
        """Attach, change or remove (None) the load at `frame`.

        Raises:
            PayloadError: As for `MujocoPlant.set_payload`.
        """
        self._plant.set_payload(frame, payload, ramp_s)

    def payload_mass_kg(self, frame: str) -> float:
        """Mass held at `frame` now."""
        return self._plant.payload_mass_kg(frame)

    def apply_push(self, frame: str, force_N: Array, duration_s: float) -> None:
        """Push at the origin of `frame`, from now on.

        Raises:
            PushError: As for `MujocoPlant.apply_push`.
        """
        self._plant.apply_push(frame, force_N, duration_s)
