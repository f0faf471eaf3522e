"""The leg posture that goes with a commanded centre of mass and pelvis."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.ocp.target import midfoot_to_world, sole_placements
from wbmpc.reference import home_reference
from wbmpc.robot import Robot

_TOLERANCE = 1e-9
_ITERATIONS = 30
_DAMPING = 1e-9
_MAX_STEP_RAD = 0.3


class LegPosture:
    """Bends the home legs so that mass and pelvis are as commanded, feet in place.

    Row 6 of Table I pulls the legs towards home. Against a squat that pull would win
    over the centre of mass (arXiv:2610.22176 suspects it behind a persistent 40 mm of
    height error), so its target follows what the operator commands: centre of
    mass and pelvis orientation. Where arms and loads are plays no part.
    """

    def __init__(self, robot: Robot) -> None:
        """Start at home."""
        self._robot = robot
        self._model, self._data = robot.model, robot.model.createData()
        self._soles = sole_placements(robot, robot.home_q)
        self._root = robot.frame_id(robot.settings.root_link)
        legs = robot.joints("left_leg", "right_leg")
        self._free = np.concatenate([np.arange(6), 6 + legs])
        self._limits = (
            self._model.lowerPositionLimit.copy(),
            self._model.upperPositionLimit.copy(),
        )
        self._offset = self._home_offset()
        self._key = b""
        self._q = robot.home_q

    def at(self, com_m: Array, rotation_pelvis_to_world: Array) -> Array:
        """Configuration (nq,) of `Robot.model`, upper body at home.

        Damped Newton steps from the last answer within the joint limits; out of
        reach, as near as it got. By hand, because this runs in the tick: SciPy's
        `least_squares` gives the same to 4e-10 rad and takes 3 times as long without
        the limits, 4 to 5 times with them (0.2 ms against 0.6 and 0.8 to 1.1).

        Args:
            com_m: (3,) centre of mass of the robot without loads.
            rotation_pelvis_to_world: (3, 3) orientation of the root link.
        """
        com_m = com_m + self._offset
        key = com_m.tobytes() + rotation_pelvis_to_world.tobytes()
        if key != self._key:
            self._key = key
            with np.errstate(over="ignore", invalid="ignore"):
                q = self._solve(com_m, rotation_pelvis_to_world)
            # An absurd target must not be where the next one starts from.
            self._q = q if np.isfinite(q).all() else self._robot.home_q
        return self._q

    def _home_offset(self) -> Array:
        """(3,) from the commanded centre of mass to that of the home pose, level.

        Home is commanded as the middle of the feet, and is a hair beside it.
        """
        home = midfoot_to_world(self._robot).act(home_reference(self._robot).com_m)
        com = pin.centerOfMass(self._model, self._data, self._robot.home_q)
        return np.array([*(com - home)[:2], 0.0])

    def _solve(self, com_m: Array, rotation: Array) -> Array:
        home = self._robot.home_q
        if np.linalg.norm(self._error(home, com_m, rotation)) < _TOLERANCE:
            return home
        q = self._q
        for _ in range(_ITERATIONS):
            error = self._error(q, com_m, rotation)
            if np.linalg.norm(error) < _TOLERANCE:
                break
            jacobian = self._jacobian(q, rotation)[:, self._free]
            square = jacobian.T @ jacobian + _DAMPING * np.eye(len(self._free))
            step = np.zeros(self._model.nv)
            step[self._free] = np.linalg.solve(square, -jacobian.T @ error)
            step *= min(1.0, _MAX_STEP_RAD / np.abs(step).max())
            q = pin.integrate(self._model, q, step)
            q[7:] = np.clip(q[7:], self._limits[0][7:], self._limits[1][7:])
        return q

    def _error(self, q: Array, com_m: Array, rotation: Array) -> Array:
        """Feet (12), centre of mass (3) and pelvis orientation (3)."""
        model, data = self._model, self._data
        com = pin.centerOfMass(model, data, q)
        pin.updateFramePlacements(model, data)
        feet = [
            pin.log6(placement.actInv(data.oMf[self._robot.frame_id(name)])).vector
            for name, placement in self._soles.items()
        ]
        turned = pin.log3(rotation.T @ data.oMf[self._root].rotation)
        return np.concatenate([*feet, com - com_m, turned])

    def _jacobian(self, q: Array, rotation: Array) -> Array:
        """Derivative (18, nv) of the error, near its root."""
        model, data = self._model, self._data
        pin.computeJointJacobians(model, data, q)
        centre = pin.jacobianCenterOfMass(model, data, q)
        pin.updateFramePlacements(model, data)
        rows = []
        for name, placement in self._soles.items():
            frame = self._robot.frame_id(name)
            local = pin.getFrameJacobian(model, data, frame, pin.LOCAL)
            rows.append(pin.Jlog6(placement.actInv(data.oMf[frame])) @ local)
        turned = pin.Jlog3(rotation.T @ data.oMf[self._root].rotation)
        root = pin.getFrameJacobian(model, data, self._root, pin.LOCAL)[3:]
        return np.vstack([*rows, centre, turned @ root])
