"""The estimated links on the robot: their places, rows and torques."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, Rows, frozen, require_finite
from ekf.faults import (
    Fault,
    FaultKind,
    find_array_fault,
    find_configuration_fault,
    to_array,
)
from ekf.filter.torque_measurement import TorqueMeasurement
from ekf.model_lookup import frame_ids, joint_rows, link_joint_ids, root_dofs

_NO_WRENCHES = np.empty((0, 6))


@dataclass(frozen=True, kw_only=True)
class TorqueSample:
    """Torque of one sample that the estimated links have to explain.

    Attributes:
        y: (nv,) that torque, bias taken off [N, Nm].
        regressor: (nv, 10 n) Y_est of the links' inertial parameters.
    """

    y: Array
    regressor: Array


class LinkTorques:
    """Chosen links of one robot, and what its torques say about their inertia.

    Attributes:
        links: (n,) names of the estimated links, as given.
        joint_ids: (n,) joint index of each, for ``model.inertias[j]``.
        model: Own copy of the robot, estimated links without inertia.
        root_dofs: Rows of the free-flyer: 6, or 0 without one.
    """

    def __init__(
        self, model: pin.Model, links: Sequence[str], feet: Sequence[str]
    ) -> None:
        """Find the links and feet; see `InertialEKF`."""
        self.joint_ids = link_joint_ids(model, links)
        self.links = tuple(links)
        foot_ids = frame_ids(model, feet)
        self._torque = TorqueMeasurement(model, self.joint_ids, foot_ids)
        self.model = self._torque.model
        self.root_dofs = root_dofs(model)
        self._torque_bias = np.zeros(model.nv)
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

    def link_placement(self, index: int) -> tuple[Array, Array]:
        """Rotation (3, 3) and position (3,) of a link's joint in the world.

        At the last sample that `measure` could use.
        """
        return self._torque.placement(self.joint_ids[index])

    def base_rotation(self) -> Array:
        """(3, 3) axes of the free-flyer in the world, as for `link_placement`."""
        return self._torque.placement(1)[0]

    @property
    def foot_speeds(self) -> Array:
        """(n_feet,) speed of each foot [m/s], as for `link_placement`."""
        return self._torque.foot_speeds

    @property
    def torque_bias(self) -> Array:
        """(nv,) torque that is taken off the measurement."""
        return frozen(self._torque_bias)

    def set_torque_bias(self, bias: Any) -> None:
        """Take a constant torque off the measurement y from now on.

        Otherwise, the share of y that a wrong nominal model and friction cause in one
        posture is read as inertia of the estimated links. Average `nominal_residual`
        over a window without load to find it.

        Args:
            bias: (nv,) generalised force [N, Nm].

        Raises:
            DimensionError: If it has another length.
            InvalidSettingError: If it is not finite.
        """
        self._torque_bias = require_finite("bias", bias, self._torque_bias.shape)

    def measure(
        self, q: Any, v: Any, a: Any, tau_joints: Any, wrenches: Any = None
    ) -> TorqueSample | Fault:
        """The first half of `update`: torque and regressor of a sample.

        Args:
            q: (nq,) configuration, all in the conventions of `update`.
            v: (nv,) velocity.
            a: (nv,) time derivative of ``v``.
            tau_joints: Actuated torques [Nm].
            wrenches: (n_feet, 6) contact wrenches [N, Nm].

        Returns:
            The fault of a sample that cannot be used.
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
        return TorqueSample(y=y - self._torque_bias, regressor=regressor)

    def _chain_rows(self, joint_id: int) -> Rows:
        """Velocity rows of the joints that carry a link, the free-flyer's left out."""
        rows = joint_rows(self.model, [j for j in self.model.supports[joint_id] if j])
        return rows[rows >= self.root_dofs]
