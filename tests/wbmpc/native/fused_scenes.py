"""The same node twice: Crocoddyl's action model and the fused one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import crocoddyl
import numpy as np
import pinocchio as pin
from native_scenes import Array, Stance

from wbmpc import native

Residuals = dict[str, crocoddyl.ResidualModelAbstract]

BAUMGARTE = np.array([100.0, 20.0])


@dataclass(frozen=True, kw_only=True)
class Body:
    """What residuals are built from."""

    stance: Stance
    state: crocoddyl.StateMultibody
    actuation: crocoddyl.ActuationModelFloatingBase
    rng: np.random.Generator

    @property
    def nu(self) -> int:
        return self.actuation.nu

    @property
    def feet(self) -> list[int]:
        return [self.stance.model.getFrameId(name) for name in self.stance.feet]


def responses(body: Body) -> Residuals:
    """Table I, first half, random gains and references."""
    rng, state, nu = body.rng, body.state, body.nu
    joints = rng.permutation(nu)[: nu // 2]
    vectors = (rng.standard_normal(len(joints)) for _ in range(4))
    trunk = body.stance.model.getFrameId(body.stance.trunk)
    rows: Residuals = {
        "upper": native.ResidualModelJointResponse(state, joints, *vectors, nu),
        "com": native.ResidualModelCoMResponse(state, *rng.standard_normal((3, 3)), nu),
        "angular": native.ResidualModelAngularMomentumResponse(
            state, rng.standard_normal(3), nu
        ),
        "trunk": native.ResidualModelFrameRotationResponse(
            state, trunk, pin.exp3(rng.standard_normal(3)), np.ones(3), np.ones(3), nu
        ),
    }
    for frame in body.feet:
        rows[f"foot/{frame}"] = native.ResidualModelFramePlacementResponse(
            state, frame, pin.exp6(rng.standard_normal(6)), *np.ones((2, 6)), nu
        )
    return rows


def literal_responses(body: Body) -> Residuals:
    state, nu = body.state, body.nu
    ones = np.ones(3)
    return {
        "com": native.ResidualModelCoMResponse(state, 0 * ones, ones, ones, nu, True),
        "joint": native.ResidualModelJointResponse(
            state, [2, 0], np.zeros(2), np.ones(2), np.ones(2), np.ones(2), nu, True
        ),
    }


def regularization(body: Body) -> Residuals:
    """State (with the free-flyer), torques and accelerations, off their references."""
    rng, state, nu = body.rng, body.state, body.nu
    tangent = rng.standard_normal(state.ndx)
    return {
        "state": crocoddyl.ResidualModelState(
            state, state.integrate(state.zero(), tangent), nu
        ),
        "control": crocoddyl.ResidualModelControl(state, rng.standard_normal(nu)),
        "acceleration": crocoddyl.ResidualModelJointAcceleration(
            state, rng.standard_normal(state.nv), nu
        ),
    }


def forces(body: Body) -> Residuals:
    """Wrenches and their cones; the random torques violate some rows."""
    rows: Residuals = {}
    for frame in body.feet:
        rows[f"wrench/{frame}"] = crocoddyl.ResidualModelContactForce(
            body.state, frame, pin.Force.Random(), 6, body.nu
        )
        cone = crocoddyl.WrenchCone(np.eye(3), 0.7, np.array([0.1, 0.05]), 4, True, 25)
        rows[f"cone/{frame}"] = crocoddyl.ResidualModelContactWrenchCone(
            body.state, frame, cone, body.nu
        )
    return rows


def others(body: Body) -> Residuals:
    """Crocoddyl's own that the fused model has no fast way for."""
    state, nu, frame = body.state, body.nu, body.stance.model.nframes - 1
    friction = crocoddyl.FrictionCone(np.eye(3), 0.7, 4, True)
    return {
        "translation": crocoddyl.ResidualModelFrameTranslation(
            state, frame, np.ones(3), nu
        ),
        "velocity": crocoddyl.ResidualModelFrameVelocity(
            state, frame, pin.Motion.Random(), pin.LOCAL, nu
        ),
        "friction": crocoddyl.ResidualModelContactFrictionCone(
            state, body.feet[0], friction, nu
        ),
        "effort": crocoddyl.ResidualModelJointEffort(
            state, body.actuation, np.ones(nu), nu, True
        ),
    }


COST_LISTS: dict[str, tuple[Callable[[Body], Residuals], ...]] = {
    "responses": (responses, regularization),
    "forces": (forces, regularization),
    "all": (responses, regularization, forces),
    "literal": (literal_responses, forces),
    "with_others": (others, responses, forces),
    "control_only": (lambda body: {"u": regularization(body)["control"]},),
}


class Twins:
    """Models and data of both kinds on shared residuals, costs and contacts."""

    def __init__(self, stance: Stance, costs: str, seed: int) -> None:
        """Build both on random weights."""
        state = crocoddyl.StateMultibody(stance.model.copy())
        self.body = Body(
            stance=stance,
            state=state,
            actuation=crocoddyl.ActuationModelFloatingBase(state),
            rng=np.random.default_rng(seed),
        )
        self.residuals: Residuals = {}
        for build in COST_LISTS[costs]:
            self.residuals.update(build(self.body))
        self.costs = self._costs()
        self.contacts = self._contacts()
        arguments = (state, self.body.actuation, self.contacts, self.costs)
        stock = crocoddyl.DifferentialActionModelContactFwdDynamics
        self.models = {
            "fused": native.DifferentialActionModelFused(*arguments),
            "stock": stock(*arguments, 0.0, True),
        }
        self.data = {label: model.createData() for label, model in self.models.items()}

    def _costs(self) -> crocoddyl.CostModelSum:
        rng, state = self.body.rng, self.body.state
        costs = crocoddyl.CostModelSum(state, self.body.nu)
        for name, residual in self.residuals.items():
            activation = crocoddyl.ActivationModelWeightedQuad(
                np.abs(rng.standard_normal(residual.nr))
            )
            if isinstance(residual, crocoddyl.ResidualModelContactWrenchCone):
                cone = residual.reference
                bounds = crocoddyl.ActivationBounds(cone.lb, cone.ub)
                activation = crocoddyl.ActivationModelQuadraticBarrier(bounds)
            cost = crocoddyl.CostModelResidual(state, activation, residual)
            costs.addCost(name, cost, float(np.exp(rng.standard_normal())))
        return costs

    def _contacts(self) -> crocoddyl.ContactModelMultiple:
        body = self.body
        data = body.stance.model.createData()
        pin.framesForwardKinematics(body.stance.model, data, body.stance.q)
        contacts = crocoddyl.ContactModelMultiple(body.state, body.nu)
        for name, frame in zip(body.stance.feet, body.feet, strict=True):
            contact = crocoddyl.ContactModel6D(
                body.state,
                frame,
                data.oMf[frame],
                pin.LOCAL_WORLD_ALIGNED,
                body.nu,
                BAUMGARTE,
            )
            contacts.addContact(name, contact)
        return contacts

    def random_point(self) -> tuple[Array, Array]:
        rng, model = self.body.rng, self.body.stance.model
        q = pin.integrate(
            model, self.body.stance.q, 0.3 * rng.standard_normal(model.nv)
        )
        x = np.concatenate([q, rng.standard_normal(model.nv)])
        return x, 30.0 * rng.standard_normal(self.body.nu)

    def evaluate(self, x: Array, u: Array | None) -> None:
        point = (x,) if u is None else (x, u)
        for label, model in self.models.items():
            model.calc(self.data[label], *point)
            model.calcDiff(self.data[label], *point)

    def differences(self, *names: str) -> dict[str, float]:
        """Largest difference of each array relative to its largest entry."""
        result = {}
        for name in names:
            ours, reference = (
                np.array(getattr(self.data[label], name), dtype=float)
                for label in ("fused", "stock")
            )
            scale = max(float(np.abs(reference).max()), 1e-300)
            result[name] = float(np.abs(ours - reference).max()) / scale
        return result
