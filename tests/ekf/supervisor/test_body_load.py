"""A load on the body: what counts as one, and where it is put."""

import numpy as np
import pytest

from ekf.supervisor.body_load import BodyLoad
from ekf.supervisor.unexplained import Unexplained

NOMINAL = np.array([10.0, 0.0, 0.0, 0.5, 0.3, 0.0, 0.3, 0.0, 0.0, 0.3])
WEIGHT_N = 9.81 * 8.0
TILT = np.array([[0.8, 0.0, 0.6], [0.0, 1.0, 0.0], [-0.6, 0.0, 0.8]])


def unexplained(force_N, at_m=(0.0, 0.0, 0.0), *, since_s=2.0, limb_Nm=0.0):
    torque = np.zeros(9)
    torque[:3], torque[3:6] = force_N, np.cross(at_m, force_N)
    torque[7] = limb_Nm
    return Unexplained(torque=torque, weight_kg=0.0, since_s=since_s)


def settled(found, base=None):
    body = BodyLoad(NOMINAL)
    for _ in range(300):
        published = body.step(found, np.eye(3) if base is None else base, 0.01)
    return published


@pytest.mark.parametrize("base", [np.eye(3), TILT])
def test_a_weight_is_carried_where_it_acts(base):
    """Mass and first moment across the weight's line are the load's."""
    up = base.T @ [0.0, 0.0, WEIGHT_N]
    at_m = np.array([0.1, -0.05, 0.2])
    added = settled(unexplained(up, at_m), base) - NOMINAL
    assert added[0] == pytest.approx(8.0)
    along = up / WEIGHT_N
    expected = 8.0 * (at_m - (at_m @ along) * along)
    np.testing.assert_allclose(added[1:4], expected, atol=1e-9)


@pytest.mark.parametrize(
    "found",
    [
        None,
        unexplained([0.0, 0.0, WEIGHT_N], since_s=0.5),
        unexplained([0.0, 0.0, WEIGHT_N], limb_Nm=3.0),
        unexplained([0.0, 0.0, -WEIGHT_N]),
        unexplained([30.0, 0.0, WEIGHT_N]),
        unexplained([0.0, 0.0, 10.0]),
        unexplained([0.0, 0.0, WEIGHT_N], (1.0, 0.0, 0.0)),
    ],
    ids=["none", "short", "limb", "lifted", "pushed", "small", "far"],
)
def test_what_is_no_weight_on_the_body_changes_nothing(found):
    np.testing.assert_array_equal(settled(found), NOMINAL)


def test_it_comes_and_goes_at_a_limited_rate():
    body = BodyLoad(NOMINAL)
    found = unexplained([0.0, 0.0, WEIGHT_N])
    masses = [body.step(found, np.eye(3), 0.01)[0] for _ in range(300)]
    masses += [body.step(None, np.eye(3), 0.01)[0] for _ in range(300)]
    assert np.abs(np.diff(masses)).max() <= 0.1 + 1e-9
    assert masses[299] == pytest.approx(18.0) and masses[-1] == pytest.approx(10.0)
