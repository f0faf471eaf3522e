"""The kinematic tree of a model: children, subtrees, where they hang."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.errors import ProposalError
from models.limb_root import limb_root_m

ROOT = 1
"""Index of the free-flyer, the joint that carries the root link."""


@dataclass(frozen=True, kw_only=True)
class Tree:
    """Joints of a model in its neutral configuration, base upright at the origin.

    Attributes:
        model: The model; its first joint is a free-flyer.
        children: Joints that hang on each joint, by joint index.
        placements: World placement of each joint.
    """

    model: pin.Model
    children: tuple[tuple[int, ...], ...]
    placements: tuple[pin.SE3, ...]

    @classmethod
    def of(cls, model: pin.Model) -> Tree:
        """Read a model."""
        children: list[list[int]] = [[] for _ in range(model.njoints)]
        for joint in range(ROOT + 1, model.njoints):
            children[model.parents[joint]].append(joint)
        data = model.createData()
        pin.forwardKinematics(model, data, pin.neutral(model))
        return cls(
            model=model,
            children=tuple(map(tuple, children)),
            placements=tuple(pin.SE3(placement) for placement in data.oMi),
        )

    def name(self, joint: int) -> str:
        """Name of a joint."""
        return str(self.model.names[joint])

    def names(self, joints: tuple[int, ...]) -> tuple[str, ...]:
        """Names of joints."""
        return tuple(self.name(joint) for joint in joints)

    def subtree(self, joint: int) -> tuple[int, ...]:
        """A joint and everything that hangs on it."""
        found, waiting = list[int](), [joint]
        while waiting:
            found.append(waiting.pop())
            waiting += reversed(self.children[found[-1]])
        return tuple(found)

    def chain(self, joint: int) -> tuple[int, ...]:
        """A joint and those after it, up to the first branch or the end."""
        chain = [joint]
        while len(self.children[chain[-1]]) == 1:
            chain.append(self.children[chain[-1]][0])
        return tuple(chain)

    def mass_kg(self, joints: tuple[int, ...]) -> float:
        """Mass of the links that joints move."""
        return float(sum(self.model.inertias[joint].mass for joint in joints))

    def position_m(self, joint: int) -> Array:
        """Origin of a joint in the root link's frame."""
        return np.array(self.placements[joint].translation)

    def limb_root_m(self, chain: tuple[int, ...]) -> Array:
        """Where a limb of two joints or more begins, in the root link's frame."""
        data = self.model.createData()
        pin.forwardKinematics(self.model, data, pin.neutral(self.model))
        return limb_root_m(self.model, data, chain[0], chain[1])

    def center_m(self, joint: int) -> Array | None:
        """Centre of mass of a subtree in the root link's frame; None without mass."""
        joints = self.subtree(joint)
        bodies = [self.model.inertias[i] for i in joints]
        centers = [
            self.placements[i].act(body.lever)
            for i, body in zip(joints, bodies, strict=True)
        ]
        masses = np.array([body.mass for body in bodies])
        if not masses.sum() > 0.0:
            return None
        center: Array = np.average(centers, axis=0, weights=masses)
        return center

    def lowest_m(self, joint: int) -> float:
        """Height of the lowest joint of a subtree, relative to the root link."""
        return min(float(self.position_m(i)[2]) for i in self.subtree(joint))

    def axis(self, joint: int) -> Array:
        """Axis of a joint in the root link's frame."""
        model = self.model
        q = pin.neutral(model)
        jacobian = pin.computeJointJacobian(model, model.createData(), q, joint)
        local = np.array(jacobian[:, model.joints[joint].idx_v])
        turns = bool(np.linalg.norm(local[3:]) > 0.5)
        return self.placements[joint].rotation @ (local[3:] if turns else local[:3])

    def index_q(self, joint: int) -> int:
        """Place of a joint's angle in a configuration."""
        return int(self.model.joints[joint].idx_q)

    def limits(self, joints: tuple[int, ...]) -> tuple[Array, Array]:
        """Lower and upper position limits."""
        indices = [self.index_q(joint) for joint in joints]
        low, high = self.model.lowerPositionLimit, self.model.upperPositionLimit
        return np.array(low[indices]), np.array(high[indices])

    def effort(self, joint: int) -> float:
        """Effort limit of a joint."""
        return float(self.model.upperEffortLimit[self.model.joints[joint].idx_v])


def free_name(model: pin.Model, name: str) -> str:
    """A name for a new frame: this one, longer while the robot has a frame of it."""
    while model.existFrame(name):
        name += "_"
    return name


def link_of(model: pin.Model, joint: int) -> str:
    """Name of the link a joint moves.

    Raises:
        ProposalError: It moves none.
    """
    for frame in model.frames:
        if frame.parentJoint == joint and frame.type == pin.FrameType.BODY:
            return str(frame.name)
    raise ProposalError(f"{model.name}: joint {model.names[joint]} moves no link")
