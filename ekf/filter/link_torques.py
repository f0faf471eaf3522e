"""The estimated links on the robot: their places, rows and torques."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, Rows
from ekf.faults import (
    Fault,
    FaultKind,
    find_array_fault,
    find_configuration_fault,
    to_array,
)
from ekf.filter.torque_measurement import TorqueMeasurement
from ekf.model_lookup import frame_ids, link_joint_ids, root_dofs

_NO_WRENCHES = np.empty((0, 6))


@dataclass(frozen=True, kw_only=True)
class TorqueSample:
    """Torque of one sample that the estimated links have to explain.

    Attributes:
        y: (nv,) torque their inertia has to explain, bias taken off [N, Nm].
        regressor: (nv, 10 n) Y_est of their inertial parameters.
    """

    y: Array
    regressor: Array


class LinkTorques:
    """Chosen links of one robot: their joints, rows and places, and their torques.

    Attributes:
        links: (n,) names, as given.
        joint_ids: (n,) joints that carry them.
        model: Own copy of the robot, estimated links without inertia.
        root_dofs: Rows of the free-flyer: 6, or 0 without one.
        bias: (nv,) torque that is taken off the measurement [N, Nm].
    """

    def __init__(
        self, model: pin.Model, links: Sequence[str], feet: Sequence[str]
    ) -> None:
        """Find the links and feet.

        Args:
            model: The robot; copied, never changed.
            links: Joint names or body (link) frame names.
            feet: Frames at which contact wrenches act.

        Raises:
            UnknownLinkError: If a link or foot is not in the model.
            InvalidSettingError: If two names are one rigid body or one frame.
        """
        self.joint_ids = link_joint_ids(model, links)
        self.links = tuple(links)
        foot_ids = frame_ids(model, feet)
        self._torque = TorqueMeasurement(model, self.joint_ids, foot_ids)
        self.model = self._torque.model
        self.root_dofs = root_dofs(model)
        self.bias = np.zeros(model.nv)
        self._shapes = {
            "q": (model.nq,),
            "v": (model.nv,),
            "a": (model.nv,),
            "tau_joints": (model.nv - self.root_dofs,),
            "wrenches": (len(foot_ids), 6),
        }

    def own_rows(self, index: int) -> Rows:
        """Velocity rows in which a link shows and no other estimated link does.

        Those of the joints that carry it, the free-flyer's and shared ones left out; if
        none is left (links on one chain), those that carry it.
        """
        chains = [self._chain_rows(joint) for joint in self.joint_ids]
        carried = chains[index]
        others = [rows for place, rows in enumerate(chains) if place != index]
        own = np.setdiff1d(carried, np.concatenate((np.empty(0, int), *others)))
        return own if len(own) else carried

    def placement(self, index: int) -> tuple[Array, Array]:
        """Rotation (3, 3) and position (3,) of a link's joint in the world."""
        return self._torque.placement(self.joint_ids[index])

    def base_rotation(self) -> Array:
        """(3, 3) axes of the free-flyer in the world."""
        return self._torque.placement(1)[0]

    @property
    def foot_speeds(self) -> Array:
        """(n_feet,) speed of each foot [m/s]."""
        return self._torque.foot_speeds

    def measure(
        self, q: Any, v: Any, a: Any, tau_joints: Any, wrenches: Any
    ) -> TorqueSample | Fault:
        """Torque and regressor of a sample, or its fault. Never raises on data.

        Args:
            q: (nq,) configuration, Pinocchio's convention.
            v: (nv,) velocity; that of a free-flyer is in the base frame.
            a: (nv,) time derivative of ``v``.
            tau_joints: (nv - root,) actuated torques [Nm].
            wrenches: (n_feet, 6) contact wrenches [N, Nm]; None without feet.
        """
        if wrenches is None:
            if self._shapes["wrenches"][0] > 0:
                reason = "wrenches is None: a filter with feet needs (n_feet, 6)"
                return Fault(kind=FaultKind.MISSING, reason=reason)
            wrenches = _NO_WRENCHES
        arrays = [to_array(values) for values in (q, v, a, tau_joints, wrenches)]
        fault = find_array_fault(
            (name, array, shape)
            for (name, shape), array in zip(self._shapes.items(), arrays, strict=True)
        ) or find_configuration_fault(self.model, arrays[0])
        if fault is not None:
            return fault
        y, regressor = self._torque.evaluate(*arrays)
        return TorqueSample(y=y - self.bias, regressor=regressor)

    def _chain_rows(self, joint_id: int) -> Rows:
        """Velocity rows of the joints that carry a link, the free-flyer's left out."""
        model = self.model
        joints = [model.joints[j] for j in model.supports[joint_id] if j]
        rows = np.concatenate([np.arange(j.idx_v, j.idx_v + j.nv) for j in joints])
        return rows[rows >= self.root_dofs]
