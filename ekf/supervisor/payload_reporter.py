"""Turns the state of the supervised filter into payload reports."""

from dataclasses import dataclass

import numpy as np

from ekf.arrays import Array, frozen
from ekf.filter.estimate import Estimate
from ekf.filter.inertial_ekf import InertialEKF
from ekf.filter.settings import REFERENCE_TICK_S
from ekf.supervisor.event_book import EventBook
from ekf.supervisor.link_monitor import LinkState
from ekf.supervisor.observability import CHANNELS
from ekf.supervisor.payload_report import PayloadReport, payload_moments
from ekf.supervisor.settings import SupervisorSettings


@dataclass(frozen=True, kw_only=True)
class ReportSnapshot:
    """Ingredients of a report, as they were at one sample; n links.

    Attributes:
        states: Belief about each link.
        loaded: Whether each is believed to carry a load.
        estimate: Of the filter.
        noise: (nv,) variance of the innovations.
        moved_s: How long each has moved since its load came or changed.
        sensitivity: Misfit 1 kg at the expected place causes, in units of the noise.
        placements: Rotation (3, 3) and position (3,) of each joint in the world.
        gains: (n, 10) observability.
    """

    states: tuple[LinkState, ...]
    loaded: tuple[bool, ...]
    estimate: Estimate
    noise: Array
    moved_s: tuple[float, ...]
    sensitivity: tuple[float, ...]
    placements: tuple[tuple[Array, Array], ...]
    gains: Array


class PayloadReporter:
    """Makes reports of one filter's links."""

    def __init__(self, ekf: InertialEKF, settings: SupervisorSettings) -> None:
        """Keep what does not change.

        Args:
            ekf: The filter.
            settings: Of its supervisor.
        """
        self._ekf, self._settings = ekf, settings
        self._nominal = ekf.nominal_parameters
        self._rows = [ekf.own_rows(index) for index in range(len(ekf.links))]
        self._assumed = ekf.measurement_variance
        same_s = max(settings.noise.correlation_s, settings.tick_s)
        self._ticks = same_s / REFERENCE_TICK_S

    def snapshot(
        self, book: EventBook, *, noise: Array, moved_s: Array, gains: Array
    ) -> ReportSnapshot:
        """Keep what a report of now needs, in case somebody asks for it later.

        Args:
            book: Belief about the loads.
            noise: (nv,) variance of the innovations.
            moved_s: (n,) how long each link has moved since its load came or changed.
            gains: (n, 10) observability.
        """
        monitors = book.monitors
        return ReportSnapshot(
            states=book.states(),
            loaded=tuple(monitor.loaded for monitor in monitors),
            estimate=self._ekf.estimate,
            noise=noise,
            moved_s=tuple(moved_s),
            sensitivity=tuple(monitor.sensitivity for monitor in monitors),
            placements=tuple(map(self._ekf.link_placement, range(len(monitors)))),
            gains=gains,
        )

    def reports(self, snapshot: ReportSnapshot) -> tuple[PayloadReport, ...]:
        """One report per link."""
        return tuple(self._report(index, snapshot) for index in range(len(self._rows)))

    def _report(self, index: int, snapshot: ReportSnapshot) -> PayloadReport:
        own = slice(10 * index, 10 * index + 10)
        estimate = snapshot.estimate
        moments = payload_moments(
            estimate.parameters[index],
            self._nominal[index],
            estimate.jacobians[index],
            estimate.covariance[own, own],
        )
        ratio = np.sqrt(self._noise_ratio(index, snapshot.noise))
        single_kg = 1.0 / np.sqrt(max(snapshot.sensitivity[index], 1e-12))
        mass = max(moments.mass_kg, 0.0)
        sigma = single_kg
        if snapshot.loaded[index]:
            filtered = ratio * moments.sigma_mass_kg
            sigma = self._sigma(filtered, single_kg, mass, snapshot.moved_s[index])
        rotation, position = snapshot.placements[index]
        gains = snapshot.gains[index]
        weak = np.flatnonzero(gains < self._settings.observable_gain)
        return PayloadReport(
            link=self._ekf.links[index],
            state=snapshot.states[index],
            mass_kg=mass,
            sigma_mass_kg=float(sigma),
            smallest_kg=float(np.sqrt(self._settings.events.alarm) * single_kg),
            com_m=frozen(moments.com_m),
            sigma_com_m=frozen(ratio * moments.sigma_com_m),
            com_world_m=frozen(position + rotation @ moments.com_m),
            rotation_world=rotation,
            observability=gains,
            not_excited=tuple(CHANNELS[channel] for channel in weak),
        )

    def _sigma(
        self, filtered: float, single_kg: float, mass_kg: float, moved_s: float
    ) -> float:
        """Norm of white noise, noise that motion averages, and the torques' scale."""
        settings = self._settings
        same_s = settings.noise.correlation_s
        left = same_s / (same_s + moved_s)
        share = settings.averaged_share + (1.0 - settings.averaged_share) * left
        persistent = settings.persistent_share * left * single_kg
        return float(
            np.linalg.norm(
                (share * filtered, persistent, settings.scale_error * mass_kg)
            )
        )

    def _noise_ratio(self, index: int, noise: Array) -> float:
        """Variance of the innovations seen over that the filter assumes."""
        rows = self._rows[index]
        seen = self._ticks * noise[rows]
        return float(np.mean(seen / np.maximum(self._assumed[rows], seen)))
