"""What a controller gets to see of an estimate."""

from dataclasses import replace

import numpy as np
import pytest
from ekf_robots import TIP_M, with_payload

from ekf import PayloadReport, TrustedWriteBack
from ekf.errors import InvalidSettingError
from ekf.inertia.pseudo_inertia import is_consistent
from ekf.supervisor.link_monitor import LinkState

TICK_S = 0.01
GRAVITY = 9.81


def _parameters(model):
    return model.inertias[model.getJointId("LEFT_ELBOW_Y")].toDynamicParameters()


@pytest.fixture
def nominal(biped):
    """(1, 10) of the bare forearm."""
    return _parameters(biped)[None]


@pytest.fixture
def loaded(biped):
    """(1, 10) with 5 kg at its tip."""
    return _parameters(with_payload(biped, "LEFT_ELBOW_Y", 5.0, TIP_M))[None]


def _report(mass_kg=5.0, sigma_kg=0.0, state=LinkState.TRACKING):
    return PayloadReport(
        link="LEFT_ELBOW_Y",
        state=state,
        mass_kg=mass_kg,
        sigma_mass_kg=sigma_kg,
        smallest_kg=0.2,
        com_m=TIP_M,
        sigma_com_m=np.zeros(3),
        com_world_m=TIP_M,
        rotation_world=np.eye(3),
        observability=np.zeros(10),
        not_excited=(),
    )


def _write_back(nominal, **settings):
    return TrustedWriteBack(
        nominal,
        max_mass_rate_kg_per_s=100.0,
        max_moment_rate_kgm_per_s=60.0,
        max_inertia_rate_kgm2_per_s=50.0,
        **settings,
    )


def _follow(out, target, report, ticks):
    return np.array([out.step(target, [report], TICK_S)[0] for _ in range(ticks)])


def test_trust_rises_and_the_estimate_is_reached_exactly(nominal, loaded):
    out = _write_back(nominal, rise_s=0.5)
    path = _follow(out, loaded, _report(), 60)
    assert out.gain == 1.0
    assert np.array_equal(path[-1], loaded[0])
    assert np.all(np.diff(path[:, 0]) >= 0.0)
    assert all(is_consistent(pi) for pi in path)


def test_the_surer_the_faster(nominal, loaded):
    reached = []
    for sigma_kg in (0.0, 1.0, 5.0):
        out = _write_back(nominal)
        _follow(out, nominal, _report(), 100)
        path = _follow(out, loaded, _report(sigma_kg=sigma_kg), 5)
        reached.append(path[-1, 0])
    assert reached[0] > reached[1] > reached[2] > nominal[0, 0]


def test_gravity_torque_is_slewed(nominal, loaded):
    """Below 1000 Nm/s at elbow and shoulder, 0.31 m apart, full trust and back."""
    out = _write_back(nominal)
    _follow(out, nominal, _report(), 100)
    there = _follow(out, loaded, _report(), 30)
    back = _follow(out, nominal, _report(mass_kg=0.0), 30)
    path = np.concatenate((nominal, there, back))
    elbow = GRAVITY * np.linalg.norm(path[:, 1:4], axis=1)
    shoulder = elbow + GRAVITY * 0.3127 * path[:, 0]
    for torque in (elbow, shoulder):
        assert np.abs(np.diff(torque)).max() / TICK_S <= 1000.0
    assert np.array_equal(path[-1], nominal[0])


@pytest.mark.parametrize("state", [LinkState.FROZEN, LinkState.LOST])
def test_a_link_that_is_not_followed_stays(nominal, loaded, state):
    out = _write_back(nominal)
    _follow(out, nominal, _report(), 100)
    before = _follow(out, loaded, _report(), 3)[-1]
    held = _follow(out, nominal, _report(state=state), 50)
    assert np.all(held == before)


def test_an_operator_limits_trust(nominal, loaded):
    out = _write_back(nominal)
    out.allow(0.5)
    path = _follow(out, loaded, _report(), 200)
    assert np.allclose(path[-1], 0.5 * (nominal + loaded)[0])
    out.allow(0.0)
    path = _follow(out, loaded, _report(), 200)
    assert np.allclose(path[-1], nominal[0])
    with pytest.raises(InvalidSettingError):
        out.allow(1.5)


def test_nonsense_is_not_published(nominal, loaded):
    out = _write_back(nominal)
    _follow(out, nominal, _report(), 100)
    bad = loaded.copy()
    bad[0, 0] = np.nan
    for target in (bad, -loaded):
        assert np.array_equal(out.step(target, [_report()], TICK_S), nominal)
    assert out.refused == 2
    report = replace(_report(), sigma_mass_kg=float("nan"))
    assert np.isfinite(out.step(loaded, [report], TICK_S)).all()


@pytest.mark.parametrize("dt_s", [float("nan"), float("inf"), 0.0, -1.0])
def test_one_bad_time_step_moves_nothing_and_spoils_nothing(nominal, loaded, dt_s):
    out = _write_back(nominal)
    _follow(out, loaded, _report(), 10)
    before, gain = out.published, out.gain
    assert np.array_equal(out.step(loaded, [_report()], dt_s), before)
    assert (out.gain, out.refused) == (gain, 1)
    _follow(out, loaded, _report(), 100)
    assert np.array_equal(out.published, loaded)
