"""Known friction is taken off the torques, and never raises."""

import numpy as np
import pytest
from supervised_runs import BipedRun, load

from ekf.filter.estimate import UpdateStatus


def test_known_friction_leaves_what_there_would_be_without(biped):
    """The filter that is told ends where one without friction does."""
    runs = [BipedRun(biped) for _ in range(3)]
    speeds = np.linspace(-2.0, 2.0, biped.nv - 6)
    plain, told, ignorant = runs
    plain.feed(0.5, load(3.0))
    for run in (told, ignorant):
        run.spoil = lambda tau: tau + speeds
    told.feed(0.5, load(3.0), friction=speeds)
    ignorant.feed(0.5, load(3.0))
    np.testing.assert_allclose(told.masses, plain.masses, atol=1e-6)
    assert np.abs(ignorant.masses - plain.masses).max() > 0.05


def test_a_stuck_channel_is_found_under_changing_friction(biped):
    run = BipedRun(biped)
    run.spoil = lambda tau: np.where(np.arange(len(tau)) == 3, 1.0, tau)
    for k in range(60):
        run.feed(0.01, friction=np.full(biped.nv - 6, 0.1 * np.sin(k)))
    name = biped.names[2 + 3]
    assert f"channel_{name}" in run.supervised.counts


@pytest.mark.parametrize(
    ("friction", "status"),
    [
        (np.zeros(3), UpdateStatus.REJECTED_DIMENSION),
        ("much", UpdateStatus.REJECTED_DIMENSION),
        (np.nan, UpdateStatus.REJECTED_NON_FINITE),
    ],
)
def test_friction_that_cannot_be_is_refused(biped, friction, status):
    run = BipedRun(biped)
    run.feed(0.1)
    if friction is np.nan:
        friction = np.full(biped.nv - 6, np.nan)
    assert run.feed(0.01, friction=friction).estimate.status is status
    assert run.feed(0.05).estimate.ok
