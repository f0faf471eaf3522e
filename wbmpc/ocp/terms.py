"""Table I as a declared list: each term by name, with its residual and weight.

Every residual exists once and is shared by all nodes, because references are uniform
over the horizon (arXiv:2610.22176, section III-C); changing a reference is one call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType

import crocoddyl
import msgspec
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from models.settings import CostSettings, SoleSettings
from wbmpc.errors import SettingError, UnknownNameError
from wbmpc.ocp.variant import FASTEST
from wbmpc.reference import UPPER_BODY, Reference, home_reference
from wbmpc.robot import BASE, Robot

Array = NDArray[np.float64]

GRAVITY = 9.81


@dataclass(frozen=True, kw_only=True)
class CostItem:
    """One weighted residual of the sum.

    Attributes:
        term: Row of Table I it belongs to.
        name: Unique name; `term`, or `term/foot` where there is one a foot.
        residual: Crocoddyl residual, shared by all nodes.
        activation: Crocoddyl activation.
        weight: Scalar weight.
        needs_forces: Contact forces are undefined at the terminal node, where
            Crocoddyl would evaluate them as zero; such an item is left out there.
    """

    term: str
    name: str
    residual: crocoddyl.ResidualModelAbstract
    activation: crocoddyl.ActivationModelAbstract
    weight: float
    needs_forces: bool = False


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What a term may be built from.

    Attributes:
        robot: Robot description.
        costs: Weights and gains.
        state: Crocoddyl state.
        nu: Joint torques.
        reference: Initial targets.
        soles: Sole placement in the world by frame name; feet do not move.
        literal: Leave the highest derivative out of the response residuals.
        residuals: Module of the response residuals, `wbmpc.residuals` or its twin.
    """

    robot: Robot
    costs: CostSettings
    state: crocoddyl.StateMultibody
    nu: int
    reference: Reference
    soles: dict[str, pin.SE3]
    literal: bool
    residuals: ModuleType


def _quad(cost: msgspec.Struct, size: int) -> crocoddyl.ActivationModelWeightedQuad:
    return crocoddyl.ActivationModelWeightedQuad(_rows(cost, "rows", size))


def _rows(cost: msgspec.Struct, field: str, size: int) -> Array:
    """Per-row values of a cost's field; a single one is repeated.

    Raises:
        SettingError: Neither one value nor one a row.
    """
    values = getattr(cost, field)
    if len(values) not in (1, size):
        rule = f"has {len(values)} values where 1 or {size} are needed"
        raise SettingError(field, list(values), rule)
    return np.array(np.broadcast_to(np.asarray(values, dtype=float), (size,)))


def _upper_body_tracking(scene: Scene) -> list[CostItem]:
    cost = scene.costs.upper_body_tracking
    joints = scene.robot.joints(*UPPER_BODY)
    n = len(joints)
    residual = scene.residuals.ResidualModelJointResponse(
        scene.state,
        joints,
        scene.reference.q_upper,
        scene.reference.v_upper,
        _rows(cost, "kp", n),
        _rows(cost, "kd", n),
        scene.nu,
        scene.literal,
    )
    return [_item("upper_body_tracking", residual, _quad(cost, n), cost.weight)]


def _center_of_mass(scene: Scene) -> list[CostItem]:
    cost = scene.costs.center_of_mass
    residual = scene.residuals.ResidualModelCoMResponse(
        scene.state,
        scene.reference.com_m,
        _rows(cost, "kp", 3),
        _rows(cost, "kd", 3),
        scene.nu,
        scene.literal,
    )
    return [_item("center_of_mass", residual, _quad(cost, 3), cost.weight)]


def _pelvis_orientation(scene: Scene) -> list[CostItem]:
    cost = scene.costs.pelvis_orientation
    residual = scene.residuals.ResidualModelFrameRotationResponse(
        scene.state,
        scene.robot.frame_id(scene.robot.settings.root_link),
        scene.reference.rotation_midfoot_to_pelvis,
        _rows(cost, "kp", 3),
        _rows(cost, "kd", 3),
        scene.nu,
        scene.literal,
    )
    return [_item("pelvis_orientation", residual, _quad(cost, 3), cost.weight)]


def _foot_placement(scene: Scene) -> list[CostItem]:
    cost = scene.costs.foot_placement
    items = []
    for sole in scene.robot.soles:
        residual = scene.residuals.ResidualModelFramePlacementResponse(
            scene.state,
            scene.robot.frame_id(sole.frame),
            scene.soles[sole.frame],
            _rows(cost, "kp", 6),
            _rows(cost, "kd", 6),
            scene.nu,
            scene.literal,
        )
        activation = _quad(cost, 6)
        items.append(
            _item("foot_placement", residual, activation, cost.weight, foot=sole)
        )
    return items


def _angular_momentum(scene: Scene) -> list[CostItem]:
    cost = scene.costs.angular_momentum
    residual = scene.residuals.ResidualModelAngularMomentumResponse(
        scene.state, _rows(cost, "gain", 3), scene.nu, scene.literal
    )
    return [_item("angular_momentum", residual, _quad(cost, 3), cost.weight)]


def _lower_body_state(scene: Scene) -> list[CostItem]:
    cost = scene.costs.lower_body_state
    nv = scene.state.nv
    rows = np.zeros(2 * nv)
    for leg in ("left_leg", "right_leg"):
        joints = BASE + scene.robot.joints(leg)
        rows[joints] = _rows(cost, "position", len(joints))
        rows[nv + joints] = _rows(cost, "velocity", len(joints))
    home = np.concatenate([scene.robot.home_q, np.zeros(nv)])
    residual = crocoddyl.ResidualModelState(scene.state, home, scene.nu)
    activation = crocoddyl.ActivationModelWeightedQuad(rows)
    return [_item("lower_body_state", residual, activation, cost.weight)]


def _acceleration(scene: Scene) -> list[CostItem]:
    cost = scene.costs.acceleration
    joints = _group_rows(scene.robot, cost.legs, cost.spine, cost.arms)
    rows = np.concatenate([np.full(BASE, cost.base), joints])
    residual = crocoddyl.ResidualModelJointAcceleration(
        scene.state, np.zeros(scene.state.nv), scene.nu
    )
    activation = crocoddyl.ActivationModelWeightedQuad(rows)
    return [_item("acceleration", residual, activation, cost.weight, forces=True)]


def _torque(scene: Scene) -> list[CostItem]:
    cost = scene.costs.torque
    rows = _group_rows(scene.robot, cost.legs, cost.spine, cost.arms)
    residual = crocoddyl.ResidualModelControl(scene.state, scene.nu)
    activation = crocoddyl.ActivationModelWeightedQuad(rows)
    return [_item("torque", residual, activation, cost.weight, forces=True)]


def _wrench(scene: Scene) -> list[CostItem]:
    cost = scene.costs.wrench
    mass = pin.computeTotalMass(scene.robot.model)
    items = []
    for sole in scene.robot.soles:
        residual = crocoddyl.ResidualModelContactForce(
            scene.state,
            scene.robot.frame_id(sole.frame),
            standing_wrench(mass, len(scene.robot.soles)),
            6,
            scene.nu,
        )
        activation = _quad(cost, 6)
        items.append(
            _item("wrench", residual, activation, cost.weight, foot=sole, forces=True)
        )
    return items


def _center_of_pressure(scene: Scene) -> list[CostItem]:
    """A_cop picks the two moments that move the CoP off the sole's centre.

    n_x = p_y f_z and n_y = -p_x f_z, with p the CoP in the sole.
    """
    cost = scene.costs.center_of_pressure
    items = []
    for sole in scene.robot.soles:
        residual = crocoddyl.ResidualModelContactForce(
            scene.state,
            scene.robot.frame_id(sole.frame),
            pin.Force.Zero(),
            6,
            scene.nu,
        )
        rows = np.zeros(6)
        rows[3:5] = _rows(cost, "rows", 2)
        activation = crocoddyl.ActivationModelWeightedQuad(rows)
        items.append(
            _item(
                "center_of_pressure",
                residual,
                activation,
                cost.weight,
                foot=sole,
                forces=True,
            )
        )
    return items


def _wrench_cone(scene: Scene) -> list[CostItem]:
    cost = scene.costs.wrench_cone
    items = []
    for sole in scene.robot.soles:
        half_sizes = np.array([sole.half_length_m, sole.half_width_m])
        cone = crocoddyl.WrenchCone(
            scene.soles[sole.frame].rotation,
            cost.friction,
            2.0 * cost.support_scale * half_sizes,
            4,
            True,
            cost.margin_N,
        )
        residual = crocoddyl.ResidualModelContactWrenchCone(
            scene.state, scene.robot.frame_id(sole.frame), cone, scene.nu
        )
        bounds = crocoddyl.ActivationBounds(cone.lb, cone.ub)
        activation = crocoddyl.ActivationModelQuadraticBarrier(bounds)
        items.append(
            _item(
                "wrench_cone",
                residual,
                activation,
                cost.weight,
                foot=sole,
                forces=True,
            )
        )
    return items


TERMS: dict[str, Callable[[Scene], list[CostItem]]] = {
    "upper_body_tracking": _upper_body_tracking,
    "center_of_mass": _center_of_mass,
    "pelvis_orientation": _pelvis_orientation,
    "foot_placement": _foot_placement,
    "angular_momentum": _angular_momentum,
    "lower_body_state": _lower_body_state,
    "acceleration": _acceleration,
    "torque": _torque,
    "wrench": _wrench,
    "center_of_pressure": _center_of_pressure,
    "wrench_cone": _wrench_cone,
}
"""The rows of Table I, in its order."""


def declare_costs(
    robot: Robot,
    state: crocoddyl.StateMultibody,
    nu: int,
    residuals: ModuleType = FASTEST.residuals,
) -> tuple[CostItem, ...]:
    """Build every enabled term for a robot standing at home.

    Raises:
        UnknownNameError: `mpc.disabled` names a term that does not exist.
        SettingError: A term has the wrong number of rows.
    """
    mpc = robot.settings.mpc
    for name in mpc.disabled:
        if name not in TERMS:
            error = UnknownNameError("cost term", name, TERMS, "mpc.disabled")
            raise error.inside(robot.source) if robot.source else error
    scene = Scene(
        robot=robot,
        costs=mpc.costs,
        state=state,
        nu=nu,
        reference=home_reference(robot),
        soles=sole_placements(robot, robot.home_q),
        literal=mpc.literal_responses,
        residuals=residuals,
    )
    enabled = [name for name in TERMS if name not in mpc.disabled]
    return tuple(item for name in enabled for item in _build_term(name, scene))


def _build_term(name: str, scene: Scene) -> list[CostItem]:
    try:
        return TERMS[name](scene)
    except SettingError as error:
        key = f"mpc.costs.{name}.{error.key}"
        source = scene.robot.source
        raise SettingError(key, error.value, error.rule, source) from None


def cost_sum(
    state: crocoddyl.StateMultibody, nu: int, items: Sequence[CostItem]
) -> crocoddyl.CostModelSum:
    """Weighted sum of the items, one Crocoddyl cost each."""
    total = crocoddyl.CostModelSum(state, nu)
    for item in items:
        cost = crocoddyl.CostModelResidual(state, item.activation, item.residual)
        total.addCost(item.name, cost, item.weight)
    return total


def standing_wrench(mass_kg: float, feet: int) -> pin.Force:
    """Equal share of the weight, (0, 0, m g / feet, 0, 0, 0) (Table I, row 9)."""
    return pin.Force(np.array([0, 0, mass_kg * GRAVITY / feet, 0, 0, 0], dtype=float))


def sole_placements(robot: Robot, q: Array) -> dict[str, pin.SE3]:
    """Placement of each sole in the world, by frame name."""
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, q)
    return {s.frame: pin.SE3(data.oMf[robot.frame_id(s.frame)]) for s in robot.soles}


def _group_rows(robot: Robot, legs: float, spine: float, arms: float) -> Array:
    rows = np.zeros(len(robot.controlled_joints))
    rows[robot.joints("left_leg", "right_leg")] = legs
    rows[robot.joints("spine")] = spine
    rows[robot.joints("left_arm", "right_arm")] = arms
    return rows


def _item(
    term: str,
    residual: crocoddyl.ResidualModelAbstract,
    activation: crocoddyl.ActivationModelAbstract,
    weight: float,
    *,
    foot: SoleSettings | None = None,
    forces: bool = False,
) -> CostItem:
    return CostItem(
        term=term,
        name=term if foot is None else f"{term}/{foot.frame}",
        residual=residual,
        activation=activation,
        weight=weight,
        needs_forces=forces,
    )
