"""Synthetic runs of the supervised filter: a biped or an arm, loads, noise."""

import numpy as np
import pinocchio as pin
from ekf_robots import TIP_M, Motion, home, statics, with_payload

from ekf import (
    InertialEKF,
    SupervisedEKF,
    SupervisorSettings,
    torque_variance,
)

FEET = ("LEFT_SOLE", "RIGHT_SOLE")
LEFT, RIGHT = "LEFT_ELBOW_Y", "RIGHT_ELBOW_Y"
RIGHT_ARM = ("SHOULDER_Y", "SHOULDER_X", "SHOULDER_Z", "ELBOW_Y")
TICK_S = 0.01


def rows_of(model, *joints):
    """Actuated rows of joints by name."""
    return [model.joints[model.getJointId(joint)].idx_v - 6 for joint in joints]


class BipedRun:
    """Feeds a supervised filter of both forearms, tick by tick."""

    def __init__(
        self,
        biped,
        *,
        amplitude=0.25,
        noise_Nm=0.0,
        seed=3,
        tick_s=TICK_S,
        **settings,
    ):
        """A standing (amplitude 0) or washing biped.

        Args:
            biped: The robot.
            amplitude: Of the joints' motion [rad].
            noise_Nm: Standard deviation of the joint torques' noise.
            seed: Of motion and noise.
            tick_s: Time between samples.
            **settings: Of the supervisor.
        """
        # These feet move while they are loaded, as no standing robot's do.
        settings = {"slip_speed": 100.0, "tick_s": tick_s, **settings}
        self._tick_s = tick_s
        self.model, self.noise_Nm = biped, noise_Nm
        variance = torque_variance(biped, by_joint={"SPINE_Z": 1e3})
        variance[3:6] = 1e2
        self.ekf = InertialEKF(
            biped, [LEFT, RIGHT], feet=FEET, measurement_variance=variance
        )
        self.supervised = SupervisedEKF(
            self.ekf,
            settings=SupervisorSettings(**settings),
            attachments_m=[TIP_M, TIP_M],
        )
        base = 0.1 * amplitude
        self._motion = Motion(biped, home(biped), amplitude, seed, base_amplitude=base)
        self._rng = np.random.default_rng(seed)
        self._plants = {}
        self.time_s = 0.0
        self.events, self.history = [], []
        self.spoil = lambda tau: tau

    def feed(self, duration_s, *loads, pull_N=0.0, **flags):
        """Run on with (joint, kg, position) loads and a pull up at the left tip."""
        for _ in range(round(duration_s / self._tick_s)):
            self.time_s += self._tick_s
            q, v, a = self._motion(self.time_s)
            tau, wrenches = statics(self._plant(loads), FEET, q, v, a)
            if pull_N:
                tau, wrenches = self._pull(q, v, a, pull_N)
            tau = tau + self.noise_Nm * self._rng.normal(size=len(tau))
            self.say(q, v, a, self.spoil(tau), wrenches, **flags)
        return self.supervised.result

    def say(self, *signals, **flags):
        """One sample."""
        result = self.supervised.update(self.time_s, *signals, **flags)
        self.events += [(e.kind.value, e.link, self.time_s) for e in result.events]
        self.history.append([report.mass_kg for report in result.reports])
        return result

    def sample(self, time_s=None):
        """Signals of the bare robot at a time."""
        q, v, a = self._motion(self.time_s if time_s is None else time_s)
        return (q, v, a, *statics(self.model, FEET, q, v, a))

    @property
    def masses(self):
        """(ticks, 2) reported payloads."""
        return np.array(self.history)

    def _plant(self, loads):
        if loads not in self._plants:
            plant = self.model
            for joint, mass_kg, position_m in loads:
                plant = with_payload(plant, joint, mass_kg, position_m)
            self._plants[loads] = plant
        return self._plants[loads]

    def _pull(self, q, v, a, force_N):
        """A balloon at the left tip: a force without a mass."""
        model, data = self.model, self.model.createData()
        tau, wrenches = statics(model, FEET, q, v, a)
        pin.computeJointJacobians(model, data, q)
        joint = model.getJointId(LEFT)
        jacobian = pin.getJointJacobian(model, data, joint, pin.LOCAL_WORLD_ALIGNED)
        arm = np.cross(data.oMi[joint].rotation @ TIP_M, [0.0, 0.0, force_N])
        push = jacobian.T @ np.concatenate(([0.0, 0.0, force_N], arm))
        # The feet carry less: all of it in one wrench at the first foot.
        foot = model.getFrameId(FEET[0])
        pin.updateFramePlacement(model, data, foot)
        leg = pin.getFrameJacobian(model, data, foot, pin.LOCAL_WORLD_ALIGNED)
        change = np.linalg.solve(leg[:, :6].T, -push[:6])
        wrenches = wrenches + np.array([change, np.zeros(6)])
        return tau - push[6:] - (leg.T @ change)[6:], wrenches


def load(kg, joint=LEFT, position=tuple(TIP_M)):
    """One load for `BipedRun.feed`."""
    return (joint, kg, position)
