"""Two robots standing on two contacts, and one residual of each kind on them."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

import crocoddyl
import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.robot import Robot


@dataclass(frozen=True, kw_only=True)
class Stance:
    """A robot, the frames it stands on and a frame of its trunk."""

    model: pin.Model
    q: Array
    feet: tuple[str, str]
    trunk: str


def alexander() -> Stance:
    """The robot of the project, 21 joints."""
    robot = Robot.load("alexander")
    left, right = (sole.frame for sole in robot.soles)
    return Stance(
        model=robot.model,
        q=robot.home_q,
        feet=(left, right),
        trunk=robot.settings.root_link,
    )


def sample_humanoid() -> Stance:
    """Pinocchio's, 28 joints, with an armature; its trunk frame moves with joints."""
    model = pin.buildSampleModelHumanoid()
    model.armature = np.concatenate([np.zeros(6), np.full(model.nv - 6, 0.1)])
    return Stance(
        model=model,
        q=pin.neutral(model),
        feet=("lleg_effector_body", "rleg_effector_body"),
        trunk="chest2_body",
    )


STANCES = {"alexander": alexander, "sample_humanoid": sample_humanoid}


class Scene:
    """A residual of each kind from any number of modules, in one action model."""

    def __init__(
        self, stance: Stance, modules: dict[str, ModuleType], seed: int, literal: bool
    ) -> None:
        """Build the action model; gains and references are random."""
        self.stance = stance
        self.rng = np.random.default_rng(seed)
        self.state = crocoddyl.StateMultibody(stance.model)
        self.actuation = crocoddyl.ActuationModelFloatingBase(self.state)
        self.nu = self.actuation.nu
        self.arguments = self._arguments()
        self.residuals = {
            (kind, label): getattr(module, kind)(
                self.state, *arguments, self.nu, literal
            )
            for kind, arguments in self.arguments.items()
            for label, module in modules.items()
        }
        self.action = self._action()
        self.data = self.action.createData()

    def _arguments(self) -> dict[str, tuple]:
        """Arguments of each residual after `state` and before `nu`."""
        rng, model = self.rng, self.stance.model
        joints = rng.permutation(self.nu)[: self.nu // 2]
        n = len(joints)
        trunk = model.getFrameId(self.stance.trunk)
        hand = model.nframes - 1  # feet do not accelerate in contact
        return {
            "ResidualModelJointResponse": (
                joints,
                *(rng.standard_normal(n) for _ in range(4)),
            ),
            "ResidualModelCoMResponse": tuple(rng.standard_normal((3, 3))),
            "ResidualModelAngularMomentumResponse": (rng.standard_normal(3),),
            "ResidualModelFrameRotationResponse": (
                trunk,
                pin.exp3(rng.standard_normal(3)),
                *rng.standard_normal((2, 3)),
            ),
            "ResidualModelFramePlacementResponse": (
                hand,
                pin.exp6(rng.standard_normal(6)),
                *rng.standard_normal((2, 6)),
            ),
        }

    def _action(self) -> crocoddyl.DifferentialActionModelContactFwdDynamics:
        costs = crocoddyl.CostModelSum(self.state, self.nu)
        for key, residual in self.residuals.items():
            cost = crocoddyl.CostModelResidual(self.state, residual)
            costs.addCost("/".join(key), cost, 1.0)
        return crocoddyl.DifferentialActionModelContactFwdDynamics(
            self.state, self.actuation, self._contacts(), costs, 0.0, True
        )

    def _contacts(self) -> crocoddyl.ContactModelMultiple:
        model = self.stance.model
        data = model.createData()
        pin.framesForwardKinematics(model, data, self.stance.q)
        contacts = crocoddyl.ContactModelMultiple(self.state, self.nu)
        for name in self.stance.feet:
            frame = model.getFrameId(name)
            contact = crocoddyl.ContactModel6D(
                self.state,
                frame,
                data.oMf[frame],
                pin.LOCAL_WORLD_ALIGNED,
                self.nu,
                np.array([100.0, 20.0]),
            )
            contacts.addContact(name, contact)
        return contacts

    def random_point(self) -> tuple[Array, Array]:
        """State away from the stance, feet sliding, and torques."""
        model, rng = self.stance.model, self.rng
        step = 0.3 * rng.standard_normal(model.nv)
        q = pin.integrate(model, self.stance.q, step)
        x = np.concatenate([q, rng.standard_normal(model.nv)])
        return x, 30.0 * rng.standard_normal(self.nu)

    def evaluate(self, x: Array, u: Array | None) -> None:
        """Values and derivatives at a running node, or at a terminal one (u None)."""
        point = (x,) if u is None else (x, u)
        self.action.calc(self.data, *point)
        self.action.calcDiff(self.data, *point)

    def result(self, kind: str, label: str) -> dict[str, Array]:
        """r, Rx, Ru of one residual at the last point."""
        data = self.data.costs.costs[f"{kind}/{label}"].residual
        return {name: np.array(getattr(data, name)) for name in ("r", "Rx", "Ru")}
