"""Contact-aided error-state Kalman filter of the base."""

from __future__ import annotations

from collections import Counter

import msgspec
import numpy as np

from models.arrays import Array
from wbmpc.conventions import GRAVITY_WORLD_M_PER_S2, rotation_from_xyzw
from wbmpc.plant.interface import SensorReadings
from wbmpc.robot import Robot
from wbmpc.state_estimation.contact_detection import ContactDetector
from wbmpc.state_estimation.interface import BaseEstimate, fault_of
from wbmpc.state_estimation.leg_kinematics import LegKinematics, SoleInBase
from wbmpc.state_estimation.rotations import (
    exp_rotation,
    log_rotation,
    orthonormal,
    skew,
    xyzw_from_rotation,
)

# Rows of the error state; each foot has a position and a rotation after these.
_P, _V, _R = slice(0, 3), slice(3, 6), slice(6, 9)
_BA, _BG = slice(9, 12), slice(12, 15)
_FEET = 15
_EYE = np.eye(3)


class ContactEkfSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Noise of the filter, densities as square roots of power per Hz."""

    accelerometer: float = 0.03
    """[m/s^2/sqrt(Hz)]. Well above the sensor's own: impacts and a model without
    flexibility are in it."""
    gyro: float = 5e-4
    """[rad/s/sqrt(Hz)]"""
    accelerometer_walk: float = 1e-3
    """Drift of the bias [m/s^3/sqrt(Hz)]."""
    gyro_walk: float = 1e-5
    """Drift of the bias [rad/s^2/sqrt(Hz)]."""
    foot_position: float = 1e-4
    """Creep of a standing foot [m/s/sqrt(Hz)]."""
    foot_rotation: float = 5e-3
    """Rolling of a standing foot on its soft sole [rad/s/sqrt(Hz)]. Pushes that tip the
    soles by a degree decide it: at 1e-5 the base is 5 mm and 0.3 deg off then, at 1e-2
    1.4 mm and 0.08 deg; standing still the same values give 0.4 and 1 mm."""
    leg_position_m: float = 1e-3
    """Standard deviation of a sole's position in the base, a sample."""
    leg_rotation_rad: float = 2e-3
    """Standard deviation of a sole's rotation in the base, a sample."""
    initial_velocity_m_per_s: float = 1e-2
    initial_rotation_rad: float = 1e-2
    initial_accelerometer_bias_m_per_s2: float = 0.1
    initial_gyro_bias_rad_per_s: float = 5e-3
    initial_foot_position_m: float = 1e-4
    initial_foot_rotation_rad: float = 1e-3


class ContactEkf:
    r"""IMU integration corrected by standing feet, feet being part of the state.

    State: position p and velocity v of the base in the world, rotation R base to world,
    biases b_a, b_g, and position p_i and rotation R_i of each sole in the world; errors
    of rotations are local, :math:`R = \hat R \exp(\phi)`. Prediction:

    .. math::
        \dot p = v, \quad \dot v = R (f - b_a) + g, \quad
        \dot R = R [\omega - b_g]_\times, \quad \dot p_i = \dot R_i = 0

    and each standing foot measures, by forward kinematics,

    .. math:: s_i = R^T (p_i - p), \qquad S_i = R^T R_i .

    A foot in the air gets no measurement, and a new place when it comes down. Joseph
    form; the innovation covariance is solved for, never inverted.

    Source: Bloesch et al., "State Estimation for Legged Robots - Consistent Fusion of
    Leg Kinematics and IMU", RSS 2012; foot rotations as in Rotella et al., "State
    Estimation for a Humanoid Robot", IROS 2014 (arXiv:1402.5450).
    """

    def __init__(
        self, robot: Robot, settings: ContactEkfSettings | None = None
    ) -> None:
        """Prepare; `reset` comes first."""
        self._settings = ContactEkfSettings() if settings is None else settings
        self._kinematics = LegKinematics(robot)
        self._detector = ContactDetector(self._kinematics)
        self._joints = len(robot.joint_names)
        self._rejections: Counter[str] = Counter()
        self._process = _process_variances(self._settings)
        position, rotation = (
            self._settings.leg_position_m**2,
            self._settings.leg_rotation_rad**2,
        )
        self._foot_variance = np.repeat([position, rotation], 3)
        self._identity = np.eye(_FEET + 12)

    @property
    def rejections(self) -> dict[str, int]:
        """How many samples were refused since the reset, by reason."""
        return dict(self._rejections) | self._detector.rejections

    @property
    def covariance(self) -> Array:
        """(27, 27) of [p, v, R, b_a, b_g, p_1, R_1, p_2, R_2]."""
        return self._covariance

    @property
    def gyro_bias_rad_per_s(self) -> Array:
        """Estimated bias (3,)."""
        return self._gyro_bias

    @property
    def accelerometer_bias_m_per_s2(self) -> Array:
        """Estimated bias (3,)."""
        return self._accelerometer_bias

    def reset(self, q: Array, readings: SensorReadings) -> BaseEstimate:
        """Start at rest in a known configuration, both feet down."""
        self._rejections.clear()
        self._detector.reset()
        self._time_s = readings.time_s
        self._position = q[:3].copy()
        self._velocity = np.zeros(3)
        self._rotation = rotation_from_xyzw(q[3:7])
        self._accelerometer_bias, self._gyro_bias = np.zeros(3), np.zeros(3)
        self._rate = np.zeros(3)
        self._standing = np.ones(2, dtype=bool)
        self._feet = [self._place(s) for s in self._kinematics.soles(q[7:])]
        self._covariance = np.diag(_initial_variances(self._settings))
        return self._estimate()

    def update(self, readings: SensorReadings) -> BaseEstimate:
        """Use one sample; a faulty one leaves the state as it was."""
        dt_s = readings.time_s - self._time_s
        fault = fault_of(readings, dt_s, self._joints)
        if fault is not None:
            self._rejections[fault] += 1
            return self._estimate()
        self._time_s = readings.time_s
        soles = self._kinematics.soles(readings.q)
        self._predict(readings, dt_s)
        self._find_contacts(readings, soles)
        self._correct(soles)
        self._rate = readings.gyro_rad_per_s - self._gyro_bias
        return self._estimate()

    def _predict(self, readings: SensorReadings, dt_s: float) -> None:
        force = readings.accelerometer_m_per_s2 - self._accelerometer_bias
        turn = exp_rotation(dt_s * (readings.gyro_rad_per_s - self._gyro_bias))
        old = self._rotation
        # The readings are means of the interval, given in axes at its end.
        self._rotation = orthonormal(old @ turn)
        self._velocity = self._velocity + dt_s * (
            self._rotation @ force + GRAVITY_WORLD_M_PER_S2
        )
        self._position = self._position + dt_s * self._velocity
        jacobian = self._identity.copy()
        jacobian[_V, _R] = -dt_s * self._rotation @ skew(force)
        jacobian[_V, _BA] = -dt_s * self._rotation
        jacobian[_P, _V] = dt_s * _EYE
        jacobian[_R, _R] = turn.T
        jacobian[_R, _BG] = -dt_s * _EYE
        predicted = jacobian @ self._covariance @ jacobian.T
        predicted.flat[:: len(predicted) + 1] += dt_s * self._process
        self._covariance = predicted

    def _find_contacts(
        self, readings: SensorReadings, soles: tuple[SoleInBase, SoleInBase]
    ) -> None:
        before = self._standing
        self._standing = self._detector.update(readings, soles, self._rotation[2])
        for foot in np.flatnonzero(self._standing & ~before):
            self._touch_down(int(foot), soles[foot])

    def _touch_down(self, foot: int, sole: SoleInBase) -> None:
        """Give a foot a new place, as uncertain as the base and the leg make it."""
        self._feet[foot] = self._place(sole)
        first = _FEET + 6 * foot
        rows = slice(first, first + 6)
        lift = self._identity.copy()
        lift[rows] = 0.0
        lift[first : first + 3, _P] = _EYE
        lift[first : first + 3, _R] = -self._rotation @ skew(sole.position_m)
        lift[first + 3 : first + 6, _R] = sole.rotation.T
        self._covariance = lift @ self._covariance @ lift.T
        indices = np.arange(first, first + 6)
        self._covariance[indices, indices] += self._foot_variance

    def _correct(self, soles: tuple[SoleInBase, SoleInBase]) -> None:
        feet = np.flatnonzero(self._standing).tolist()
        if not feet:
            return
        rows = [self._foot_rows(foot, soles[foot]) for foot in feet]
        innovation = np.concatenate([row[0] for row in rows])
        jacobian = np.vstack([row[1] for row in rows])
        variance = np.concatenate([self._foot_variance] * len(feet))
        cross = self._covariance @ jacobian.T
        total = jacobian @ cross
        total.flat[:: len(total) + 1] += variance
        try:
            gain = np.linalg.solve(total, cross.T).T
        except np.linalg.LinAlgError:
            self._rejections["numerical"] += 1
            return
        reduced = self._identity - gain @ jacobian
        covariance = reduced @ self._covariance @ reduced.T
        covariance += (gain * variance) @ gain.T
        self._covariance = 0.5 * (covariance + covariance.T)
        self._apply(gain @ innovation)

    def _foot_rows(self, foot: int, sole: SoleInBase) -> tuple[Array, Array]:
        """Innovation (6,) and Jacobian (6, 27) of one foot."""
        position, rotation = self._feet[foot]
        to_base = self._rotation.T
        expected_position = to_base @ (position - self._position)
        expected_rotation = to_base @ rotation
        innovation = np.concatenate(
            [
                sole.position_m - expected_position,
                log_rotation(expected_rotation.T @ sole.rotation),
            ]
        )
        first = _FEET + 6 * foot
        jacobian = np.zeros((6, len(self._covariance)))
        jacobian[:3, _P] = -to_base
        jacobian[:3, _R] = skew(expected_position)
        jacobian[:3, first : first + 3] = to_base
        jacobian[3:, _R] = -expected_rotation.T
        jacobian[3:, first + 3 : first + 6] = _EYE
        return innovation, jacobian

    def _apply(self, change: Array) -> None:
        self._position = self._position + change[_P]
        self._velocity = self._velocity + change[_V]
        self._rotation = self._rotation @ exp_rotation(change[_R])
        self._accelerometer_bias = self._accelerometer_bias + change[_BA]
        self._gyro_bias = self._gyro_bias + change[_BG]
        for foot, (position, rotation) in enumerate(self._feet):
            first = _FEET + 6 * foot
            turn = exp_rotation(change[first + 3 : first + 6])
            self._feet[foot] = (
                position + change[first : first + 3],
                orthonormal(rotation @ turn),
            )

    def _place(self, sole: SoleInBase) -> tuple[Array, Array]:
        """Placement of a sole in the world by the present estimate."""
        position = self._position + self._rotation @ sole.position_m
        return position, self._rotation @ sole.rotation

    def _estimate(self) -> BaseEstimate:
        linear = self._rotation.T @ self._velocity
        return BaseEstimate(
            position_m=self._position,
            quaternion_xyzw=xyzw_from_rotation(self._rotation),
            twist=np.concatenate([linear, self._rate]),
            contacts=self._standing.copy(),
        )


def _process_variances(settings: ContactEkfSettings) -> Array:
    """Variance (27,) per second; isotropic blocks, so axes do not matter."""
    foot = [settings.foot_position, settings.foot_rotation]
    blocks = [
        0.0,
        settings.accelerometer,
        settings.gyro,
        settings.accelerometer_walk,
        settings.gyro_walk,
        *foot,
        *foot,
    ]
    return np.repeat(np.square(blocks), 3)


def _initial_variances(settings: ContactEkfSettings) -> Array:
    foot = [settings.initial_foot_position_m, settings.initial_foot_rotation_rad]
    blocks = [
        settings.initial_foot_position_m,
        settings.initial_velocity_m_per_s,
        settings.initial_rotation_rad,
        settings.initial_accelerometer_bias_m_per_s2,
        settings.initial_gyro_bias_rad_per_s,
        *foot,
        *foot,
    ]
    return np.repeat(np.square(blocks), 3)
