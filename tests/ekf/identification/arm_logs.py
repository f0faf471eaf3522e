"""Logs of arms with friction, drives and a payload whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ekf import JointLog

HZ = 100.0


@dataclass(frozen=True, kw_only=True)
class ArmLog:
    """What happens in a log.

    Attributes:
        payload_kg: Mass at the last joint.
        loaded_s: Spans in which it is there.
        coulomb: Dry friction of every joint [Nm].
        stribeck: By how much more it is at rest [Nm].
        gain: Factor on the measured torques.
        threshold_Nm: Torques below are reported as zero.
        late_s: Lag of the reported velocities.
        lighter_kg: What the real last link lacks.
        amplitude: Of the motion [rad].
        seed: Of motion and noise.
    """

    payload_kg: float = 0.0
    loaded_s: tuple[tuple[float, float], ...] = ((0.0, 1e9),)
    coulomb: float = 0.3
    stribeck: float = 0.0
    gain: float = 1.0
    threshold_Nm: float = 0.0
    late_s: float = 0.0
    lighter_kg: float = 0.0
    amplitude: float = 0.6
    duration_s: float = 20.0
    noise_Nm: float = 0.05
    seed: int = 0

    def make(self, model: pin.Model) -> JointLog:
        rng, n = np.random.default_rng(self.seed), model.nv
        t = np.arange(round(self.duration_s * HZ)) / HZ
        rates = rng.uniform(0.4, 2.2, (3, n))
        phases = rng.uniform(0.0, 6.28, (3, n))
        q = 0.4 + sum(
            self.amplitude / 2.0 * np.sin(np.outer(t, r) + p)
            for r, p in zip(rates, phases, strict=True)
        )
        v = np.gradient(q, 1.0 / HZ, axis=0)
        a = np.gradient(v, 1.0 / HZ, axis=0)
        empty, full = model.copy(), model.copy()
        if self.lighter_kg:
            last = empty.inertias[n]
            empty.inertias[n] = pin.Inertia(
                last.mass - self.lighter_kg, last.lever, last.inertia
            )
        load = pin.Inertia(
            self.payload_kg, np.array([0.0, 0.0, 0.08]), 1e-3 * np.eye(3)
        )
        full.inertias[n] = empty.inertias[n] + load
        datas = empty.createData(), full.createData()
        tau = np.empty_like(q)
        for k, time_s in enumerate(t):
            on = any(low <= time_s < high for low, high in self.loaded_s)
            on = on and self.payload_kg > 0.0
            tau[k] = pin.rnea((empty, full)[on], datas[on], q[k], v[k], a[k])
        dry = self.coulomb + self.stribeck * np.exp(-((v / 0.1) ** 2))
        tau = self.gain * (tau + np.sign(v) * dry + 0.2 * v)
        tau += self.noise_Nm * rng.standard_normal(tau.shape)
        tau[np.abs(tau) < self.threshold_Nm] = 0.0
        told = np.column_stack([np.interp(t - self.late_s, t, x) for x in v.T])
        return JointLog(time_s=t, q=q, v=told, tau=tau)
