"""The planar two-link test robot and its streams of independent random samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin

from ekf import JointLog
from scenarios.run.estimation_robot import EstimationRobot
from scenarios.studies.estimators.streams.robots import arm_from_model
from scenarios.studies.estimators.streams.stream import Stream

_URDF = """<robot name="two_link">
  <link name="base">{base}</link>
  <link name="link1">{link1}</link>
  <link name="link2">{link2}</link>
  <joint name="joint1" type="revolute">
    <parent link="base"/><child link="link1"/>
    <origin xyz="0 0 0" rpy="0 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3.14" upper="3.14" velocity="10.0" effort="1000.0"/>
  </joint>
  <joint name="joint2" type="revolute">
    <parent link="link1"/><child link="link2"/>
    <origin xyz="1 0 0" rpy="0 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3.14" upper="3.14" velocity="10.0" effort="1000.0"/>
  </joint>
</robot>"""


def two_link_urdf(payload_kg: float = 0.0) -> str:
    """URDF text of the robot.

    Two links of 1 m turn about the vertical, so gravity does nothing. The payload adds
    to the mass of the second link at that link's centre of mass, half a metre out; its
    rotational inertia is left alone.
    """
    return _URDF.format(
        base=_inertial(1.0, 0.0, (0.01, 0.01, 0.01)),
        link1=_inertial(1.0, 0.5, (0.01, 0.05, 0.05)),
        link2=_inertial(0.5 + payload_kg, 0.5, (0.005, 0.02, 0.02)),
    )


PAYLOAD_FRAME = "payload"


def two_link_model(payload_kg: float = 0.0) -> pin.Model:
    """The robot as a Pinocchio model, with a frame where the payload is."""
    model = pin.buildModelFromXML(two_link_urdf(payload_kg))
    centre = pin.SE3(np.eye(3), np.array([0.5, 0.0, 0.0]))
    model.addFrame(
        pin.Frame(PAYLOAD_FRAME, model.njoints - 1, centre, pin.FrameType.OP_FRAME)
    )
    return model


def two_link_stream(
    seed: int,
    *,
    samples: int = 400,
    step_at: int = 200,
    payload_kg: tuple[float, float] = (0.0, 0.5),
    viscous: tuple[float, float] = (0.5, 0.5),
    coulomb: tuple[float, float] = (0.1, 0.1),
    noise_tau: float = 0.02,
    rate_hz: float = 50.0,
    name: str = "two_link",
) -> Stream:
    """Uniform random positions, velocities and accelerations, with a step.

    Samples are independent of one another; accelerations come with them.

    Args:
        seed: Of positions, velocities, accelerations and noise, drawn in this order.
        samples: How many.
        step_at: Index of the first sample after the step.
        payload_kg: Before and after the step.
        viscous: Friction [Nm s/rad] before and after.
        coulomb: Friction [Nm] before and after.
        noise_tau: Standard deviation of the torque noise [Nm].
        rate_hz: Only for the time stamps.
        name: Name of the stream.
    """
    rng = np.random.default_rng(seed)
    q, v, a = (rng.uniform(-r, r, (samples, 2)) for r in (1.2, 1.0, 1.0))
    models = [two_link_model(load) for load in payload_kg]
    datas = [model.createData() for model in models]
    tau = np.empty((samples, 2))
    for k in range(samples):
        now = int(k >= step_at)
        rigid = pin.rnea(models[now], datas[now], q[k], v[k], a[k])
        tau[k] = rigid + viscous[now] * v[k] + coulomb[now] * np.sign(v[k])
    tau += noise_tau * rng.standard_normal(tau.shape)
    times = np.arange(samples) / rate_hz
    after = np.arange(samples) >= step_at
    return Stream(
        name=name,
        robot=_robot(noise_tau),
        log=JointLog(time_s=times, q=q, v=v, a=a, tau=tau),
        truth_kg=np.where(after, payload_kg[1], payload_kg[0]),
        at_s=step_at / rate_hz,
    )


def _robot(noise_tau: float) -> EstimationRobot:
    """Its torques are of the order of 1 Nm, a tenth of those of other arms."""
    robot = arm_from_model(two_link_model(), PAYLOAD_FRAME, name="two_link")
    ones = np.ones(robot.model.nv)
    variance = max(noise_tau, 1e-3) ** 2 * ones
    return replace(robot, torque_variance=variance, filter_variance=0.3 * ones)


def _inertial(mass: float, x: float, moments: tuple[float, float, float]) -> str:
    ixx, iyy, izz = moments
    return (
        f'<inertial><origin xyz="{x} 0 0" rpy="0 0 0"/><mass value="{mass}"/>'
        f'<inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/>'
        "</inertial>"
    )
