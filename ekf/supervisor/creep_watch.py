"""Notices a load that comes too slowly for an event."""

from ekf.arrays import Array
from ekf.supervisor.settings import EventSettings
from ekf.supervisor.torque_window import TorqueWindow, gram_of_rows


class CreepWatch:
    """Judges the last half second of a bare link by noise that grows slowly.

    The quick detector compares with noise learnt over the last few seconds, which a
    load that creeps in is soon part of.
    """

    def __init__(self, settings: EventSettings) -> None:
        """Start with nothing seen."""
        self._settings = settings
        self._window = TorqueWindow(settings.creep_window_s)
        self.restart()

    def restart(self) -> None:
        """Forget the last moments."""
        self._window.clear()
        self._above_s = 0.0

    def look(
        self,
        rows: tuple[Array, Array, Array],
        parameters: Array,
        direction: Array,
        dt_s: float,
    ) -> bool:
        """Take one sample of a bare link; whether a load has crept in.

        Args:
            rows: (m,) torque to explain [Nm], (m, 10) its regressor, and (m,) its noise
                as `SettledNoise` has it.
            parameters: (10,) of the bare link.
            direction: (10,) of 1 kg where a load is expected.
            dt_s: Time since the sample before.
        """
        settings, window = self._settings, self._window
        window.add(gram_of_rows(*rows), dt_s)
        energy = window.energy(parameters)
        alarmed = (
            energy > settings.alarm
            and window.explained(parameters)
            > max(settings.alarm, settings.smallest_share * energy)
            and window.along(parameters, direction) > settings.smallest_kg
        )
        self._above_s = self._above_s + dt_s if alarmed else 0.0
        return self._above_s > settings.creep_window_s
