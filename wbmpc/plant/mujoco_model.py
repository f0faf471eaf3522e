"""Builds the MuJoCo model of a robot from its Pinocchio model, so both are one robot.

No URDF is read twice: bodies, joints, inertias and limits are those Pinocchio holds,
whatever file they came from. Geometry is limited to what touches the floor: a box a
sole, and small spheres at the raised joints that tell a fall.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import mujoco
import numpy as np
import pinocchio as pin

from models.frame_names import frame_index
from models.settings import PlantSettings, SoleSettings
from wbmpc.conventions import JointMap
from wbmpc.errors import RobotError
from wbmpc.plant.mujoco_body import add_body, pose
from wbmpc.robot import Robot
from wbmpc.robot_model import joint_dynamics

FLOOR = "floor"
FREE_JOINT = "floating_base"
_SOLE_HALF_HEIGHT_M = 0.01
_FALL_SPHERE_M = 0.05
_FALL_SPHERE_HEIGHT_M = 0.2
"""Joints below this height in the home pose belong to the feet: no sphere there."""
_CONTACT_SOLREF = (0.004, 1.0)
_CONTACT_SOLIMP = (0.95, 0.99, 0.001, 0.5, 2.0)
_IMPEDANCE_RATIO = 10.0
"""Friction stiffer than the normal direction: standing feet do not creep."""


def payload_body(frame: str) -> str:
    """Name of the body that is the load at `frame`, and of the site there."""
    return f"payload:{frame}"


def build_model(
    robot: Robot, payload_frames: Iterable[str], dt_s: float
) -> mujoco.MjModel:
    """Compile the plant's model.

    Bodies carry the names of the links, joints and actuators those of the joints,
    sites those of the sole frames.

    Raises:
        RobotError: A joint MuJoCo cannot represent, or an impossible inertia.
    """
    spec = mujoco.MjSpec()
    _set_options(spec, dt_s)
    physics = robot.settings.plant
    dynamics = joint_dynamics(robot.urdf_path) if physics.urdf_dynamics else {}
    bodies = add_bodies(spec, robot.full_model, physics, dynamics)
    _add_actuators(spec, robot)
    _add_floor_contact(spec, robot, bodies)
    for frame in payload_frames:
        _add_payload(_body_of_frame(robot, bodies, frame), robot, frame)
    try:
        return spec.compile()
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise RobotError(
            f"{robot.urdf_path}: MuJoCo refuses the model: {reason}"
        ) from None


def joint_map(names: Iterable[str], model: mujoco.MjModel) -> JointMap:
    """Where joints, by name in Pinocchio's order, are in a MuJoCo model."""
    ids = [model.joint(name).id for name in names]
    return JointMap(qpos=model.jnt_qposadr[ids], dof=model.jnt_dofadr[ids])


def link_name(model: pin.Model, joint: int) -> str:
    """Name of the link a joint moves (of the first one if some are merged).

    MuJoCo keeps the name `world` for itself.
    """
    for frame in model.frames:
        if frame.parentJoint == joint and frame.type == pin.FrameType.BODY:
            if frame.name != "world":
                return str(frame.name)
    return str(model.names[joint])


def _set_options(spec: mujoco.MjSpec, dt_s: float) -> None:
    spec.compiler.degree = False
    spec.option.timestep = dt_s
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    spec.option.impratio = _IMPEDANCE_RATIO
    # A broken state stays visible instead of jumping back to the start pose.
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET


def add_bodies(
    spec: mujoco.MjSpec,
    model: pin.Model,
    physics: PlantSettings,
    dynamics: Mapping[str, tuple[float, float]] | None = None,
) -> list[mujoco.MjsBody]:
    """Add a floating robot: one body per joint, in the order of Pinocchio's joints.

    Args:
        spec: What to add to.
        model: The robot; its joint 1 floats.
        physics: Damping and friction of its joints.
        dynamics: Damping and friction by joint name instead, where there is one.

    Raises:
        RobotError: A joint MuJoCo cannot represent, or a link without mass.
    """
    bodies = [spec.worldbody]
    axes = _joint_axes(model)
    for joint in range(1, model.njoints):
        parent = bodies[model.parents[joint]]
        body = add_link(parent, model, joint)
        if joint == 1:
            body.add_freejoint(name=FREE_JOINT)
        else:
            usual = (physics.joint_damping_Nms_per_rad, physics.joint_friction_Nm)
            losses = (dynamics or {}).get(model.names[joint], usual)
            _add_joint(body, model, joint, losses, axes[joint])
        bodies.append(body)
    return bodies


def add_link(parent: mujoco.MjsBody, model: pin.Model, joint: int) -> mujoco.MjsBody:
    """Add the link that a joint moves: placement, name, inertia; no joint yet.

    Raises:
        RobotError: A link without mass.
    """
    inertia = model.inertias[joint]
    if inertia.mass <= 0.0:
        raise RobotError(
            f"link {link_name(model, joint)!r}: mass {inertia.mass} kg: a moving link "
            "needs a positive mass"
        )
    name, placement = link_name(model, joint), model.jointPlacements[joint]
    return add_body(parent, name, placement, inertia)


def _add_joint(
    body: mujoco.MjsBody,
    model: pin.Model,
    joint: int,
    losses: tuple[float, float],
    axis: tuple[bool, np.ndarray],
) -> None:
    hinge, direction = axis
    index_q, index_v = model.joints[joint].idx_q, model.joints[joint].idx_v
    limits = (model.lowerPositionLimit[index_q], model.upperPositionLimit[index_q])
    limited = bool(np.all(np.isfinite(limits)) and limits[0] < limits[1])
    kinds = mujoco.mjtJoint
    body.add_joint(
        name=model.names[joint],
        type=kinds.mjJNT_HINGE if hinge else kinds.mjJNT_SLIDE,
        axis=direction,
        limited=limited,
        range=limits if limited else (0.0, 0.0),
        armature=model.armature[index_v],
        damping=[losses[0], 0.0, 0.0],
        frictionloss=losses[1],
    )


def _joint_axes(model: pin.Model) -> dict[int, tuple[bool, np.ndarray]]:
    """Whether each joint turns (else slides), and its axis in its own frame."""
    data = model.createData()
    axes = {}
    for joint in range(2, model.njoints):
        kind = model.joints[joint]
        if kind.nq != 1 or kind.nv != 1:
            raise RobotError(
                f"joint {model.names[joint]!r}: {kind.shortname()} is not supported, "
                "only revolute and prismatic joints are"
            )
        jacobian = pin.computeJointJacobian(model, data, pin.neutral(model), joint)
        column = jacobian[:, kind.idx_v]
        hinge = bool(np.linalg.norm(column[3:]) > 0.5)
        axes[joint] = (hinge, column[3:] if hinge else column[:3])
    return axes


def _add_actuators(spec: mujoco.MjSpec, robot: Robot) -> None:
    """Torque motors; a joint without a usable effort limit has none in MuJoCo."""
    for name, limit in zip(robot.joint_names, robot.torque_limits_full_Nm, strict=True):
        bounded = bool(np.isfinite(limit) and limit > 0.0)
        motor = spec.add_actuator(
            name=name,
            target=name,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            ctrllimited=bounded,
            ctrlrange=(-limit, limit) if bounded else (0.0, 0.0),
        )
        motor.set_to_motor()


def _add_floor_contact(
    spec: mujoco.MjSpec, robot: Robot, bodies: list[mujoco.MjsBody]
) -> None:
    """Only the floor (contype) meets the robot (conaffinity): no self collision."""
    spec.worldbody.add_geom(
        name=FLOOR,
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=(0.0, 0.0, 1.0),
        contype=1,
        conaffinity=0,
        **_surface(robot),
    )
    for sole in robot.soles:
        _add_sole(_body_of_frame(robot, bodies, sole.frame), robot, sole)
    data = robot.full_model.createData()
    pin.framesForwardKinematics(robot.full_model, data, robot.home_q_full)
    for joint in range(1, robot.full_model.njoints):
        if data.oMi[joint].translation[2] > _FALL_SPHERE_HEIGHT_M:
            _add_fall_sphere(bodies[joint], robot, pin.SE3.Identity())
    for arm in robot.arms.values():
        frame = _frame(robot, arm.tip_frame)
        _add_fall_sphere(bodies[frame.parentJoint], robot, frame.placement)


def _add_sole(body: mujoco.MjsBody, robot: Robot, sole: SoleSettings) -> None:
    placement = _frame(robot, sole.frame).placement
    body.add_site(name=sole.frame, **pose(placement))
    centre = placement * pin.SE3(np.eye(3), np.array([0, 0, _SOLE_HALF_HEIGHT_M]))
    body.add_geom(
        name=sole.frame,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=(sole.half_length_m, sole.half_width_m, _SOLE_HALF_HEIGHT_M),
        contype=0,
        conaffinity=1,
        **pose(centre),
        **_surface(robot),
    )


def _add_fall_sphere(body: mujoco.MjsBody, robot: Robot, placement: pin.SE3) -> None:
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        size=(_FALL_SPHERE_M, 0.0, 0.0),
        contype=0,
        conaffinity=1,
        **pose(placement),
        **_surface(robot),
    )


def _add_payload(body: mujoco.MjsBody, robot: Robot, frame: str) -> None:
    """A welded body without mass; the plant writes the load into the model."""
    at = pose(_frame(robot, frame).placement)
    body.add_site(name=payload_body(frame), **at)
    # Explicit, for the default centre of a massless body is not its origin.
    body.add_body(
        name=payload_body(frame),
        explicitinertial=True,
        mass=0.0,
        ipos=(0.0, 0.0, 0.0),
        inertia=(0.0, 0.0, 0.0),
        **at,
    )


def _surface(robot: Robot) -> dict:
    return {
        "friction": (robot.settings.plant.friction, 0.005, 0.0001),
        "solref": _CONTACT_SOLREF,
        "solimp": _CONTACT_SOLIMP,
        "condim": 3,
    }


def _frame(robot: Robot, name: str) -> pin.Frame:
    return robot.full_model.frames[frame_index(robot.full_model, name)]


def _body_of_frame(
    robot: Robot, bodies: list[mujoco.MjsBody], frame: str
) -> mujoco.MjsBody:
    return bodies[_frame(robot, frame).parentJoint]
