"""How far each torque row of one sample is believed."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ekf.arrays import Array, Flags, Rows
from ekf.filter.inertial_ekf import InertialEKF
from ekf.filter.link_torques import TorqueSample
from ekf.filter.settings import REFERENCE_TICK_S
from ekf.supervisor.chain_motion import ChainMotion
from ekf.supervisor.innovation_gate import InnovationGate
from ekf.supervisor.innovation_noise import InnovationNoise
from ekf.supervisor.settings import NoiseSettings, SupervisorSettings
from ekf.supervisor.settled_noise import SettledNoise

NOT_BELIEVED = 1e8
"""Factor on the variance of a row that is left out."""
DOUBTED = 1e2
"""Factor on the variance of a row that saturation or slip spoils."""


class RowTrust:
    """Noise, gate and doubts of all torque rows."""

    def __init__(self, ekf: InertialEKF, settings: SupervisorSettings) -> None:
        """Start with the noise of the settings.

        Args:
            ekf: The filter.
            settings: Noise and gate.
        """
        self._ekf, self._settings = ekf, settings
        rows = ekf.model.nv
        self.noise = _noise(rows, ekf.root_dofs, settings.noise)
        self.settled = SettledNoise(self.noise.variance)
        self.gate = InnovationGate(rows, settings.gate_sigma, settings.gate_reset_s)

    def reset(self) -> None:
        """Return to the start; the counts of the gate are kept."""
        self.noise.reset()
        self.settled = SettledNoise(self.noise.variance)
        self.gate.reset()

    def doubt(
        self, missing: Flags, saturated: Any, blind: bool, slipping: bool
    ) -> Array:
        """(nv,) factor on the variance of each row, 1 where nothing is wrong.

        Args:
            missing: (n,) actuated rows without a measurement.
            saturated: (n,) actuated rows at their torque limit, or None.
            blind: Whether a contact wrench is unknown.
            slipping: Whether a foot slides.
        """
        root = self._ekf.root_dofs
        doubt = np.ones(self._ekf.model.nv)
        joints = doubt[root:]
        if saturated is not None:
            joints[np.asarray(saturated, dtype=bool)] = DOUBTED
        joints[missing] = NOT_BELIEVED
        if slipping:
            doubt[:root] = DOUBTED
        if blind:
            doubt[:root] = NOT_BELIEVED
        return doubt

    def test(
        self, sample: TorqueSample, innovation: Array, dt_s: float
    ) -> tuple[Array, Flags]:
        """Test ratio of each row, and which are left out, (nv,) each.

        The variance of not knowing the links is only worked out when it matters: below
        1 the ratio is that of the noise alone, which is larger.
        """
        ratios = self.gate.ratios(innovation, self.noise.variance)
        if ratios.max() > 1.0:
            variance = self.noise.variance + self._ekf.predicted_variance(sample)
            ratios = self.gate.ratios(innovation, variance)
        return ratios, self.gate.leave_out(ratios, dt_s)

    def settle(self, motion: ChainMotion, chains: Sequence[Rows], dt_s: float) -> None:
        """Let the settled noise follow the learnt.

        Args:
            motion: Of the chains that carry the links.
            chains: Torque rows of each.
            dt_s: Time since the sample before.
        """
        new = np.zeros(len(self.noise.variance), dtype=bool)
        for rows, first in zip(chains, motion.new, strict=True):
            new[rows] |= first
        self.settled.follow(self.noise.variance, new, dt_s)

    def settle_for(self, rows: Rows) -> None:
        """Take what was learnt lately for the load that has just been noticed."""
        own = self.noise.variance
        own[rows] = np.minimum(own[rows], self.settled.variance[rows])

    def variance_scale(self, same_s: Array, dt_s: float) -> Array:
        """(nv,) factor on the variance of rows that are noisier than set up.

        An error that lasts for T counts as one sample. The filter divides its variances
        by the time step, in units of `REFERENCE_TICK_S`; so must T.

        Args:
            same_s: (nv,) how long an innovation has been one and the same error.
            dt_s: Time since the sample before.
        """
        ticks = np.maximum(same_s, dt_s) / REFERENCE_TICK_S
        seen = ticks * self.noise.variance
        scale: Array = np.maximum(seen / self._ekf.measurement_variance, 1.0)
        return scale


def _noise(rows: int, root: int, settings: NoiseSettings) -> InnovationNoise:
    initial = np.full(rows, settings.joints_Nm)
    ceiling = settings.ceiling_share * initial
    initial[: root // 2] = settings.force_N
    initial[root // 2 : root] = settings.moment_Nm
    ceiling[:root] = np.inf
    return InnovationNoise(
        initial, settings.floor_share * initial, ceiling, settings.span_s
    )
