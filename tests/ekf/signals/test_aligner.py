"""Time alignment of configuration, velocity, acceleration and torque."""

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import Motion, home

from ekf import SignalAligner, TorqueTiming
from ekf.errors import InvalidSettingError
from ekf.signals.aligner import SampleFault

CENTRE = np.array([0.3, 0.4, -0.5, 0.6, 0.4, 0.2])


def _chirp(time_s):
    rate_hz = (0.3 + 0.15 * np.arange(6)) * (1.0 + 0.2 * time_s)
    return 0.3 * np.sin(2 * np.pi * rate_hz * time_s)


def _simulate(model, duration_s=2.5, dt_s=1e-3):
    """Semi-implicit Euler; every torque is the one that led to the sample."""
    data = model.createData()
    q, v = CENTRE.copy(), np.zeros(6)
    yield 0.0, q, v, np.zeros(6)
    for tick in range(round(duration_s / dt_s)):
        desired = CENTRE + _chirp(tick * dt_s)
        tau = pin.rnea(model, data, q, v, 400 * (desired - q) - 40 * v)
        v = v + dt_s * pin.aba(model, data, q, v, tau)
        q = pin.integrate(model, q, dt_s * v)
        yield (tick + 1) * dt_s, q, v, tau


def _rms(values):
    return float(np.sqrt(np.mean(np.square(values))))


def test_aligned_signals_obey_the_dynamics_and_unaligned_do_not(arm):
    aligner, data = SignalAligner(arm), arm.createData()
    aligned, naive, torque = [], [], []
    for time_s, q, v, tau in _simulate(arm):
        sample = aligner.push(time_s, q, v, tau)
        if time_s < 0.5 or sample is None:
            continue
        dynamics = pin.rnea(arm, data, sample.q, sample.v, sample.a)
        aligned.append(dynamics - sample.tau)
        naive.append(pin.rnea(arm, data, q, v, sample.a) - tau)
        torque.append(tau)
    assert _rms(aligned) < 0.01 * _rms(torque)
    assert _rms(naive) > 0.1 * _rms(torque)


def test_a_slow_ramp_passes_with_the_stated_delay(arm):
    aligner, rate = SignalAligner(arm, cutoff_hz=8.0), np.linspace(0.1, 0.6, 6)
    for tick in range(1001):
        time_s = tick * 1e-3
        sample = aligner.push(time_s, rate * time_s, rate, 7.0 * rate * time_s)
    age_s = aligner.delay_s - 0.5e-3
    assert np.allclose(sample.q, rate * (1.0 - age_s), rtol=1e-4)
    assert np.allclose(sample.v, rate, atol=1e-12)
    assert np.allclose(sample.a, 0.0, atol=1e-12)
    # This tau ramp is the value at the end of each interval, not its mean.
    expected = 7.0 * rate * (1.0 - age_s + 0.5e-3)
    assert np.allclose(sample.tau, expected, rtol=1e-4)


def test_acceleration_is_the_derivative_of_the_filtered_velocity(arm, rng):
    """Trapezoid rule, exactly, for any input: v and a have one and the same filter."""
    aligner, previous = SignalAligner(arm), None
    for tick in (-2, -1):  # at rest first: the law holds from a steady state
        previous = aligner.push(0.01 * tick, *np.zeros((3, 6)))
    for tick in range(50):
        sample = aligner.push(0.01 * tick, np.zeros(6), rng.normal(size=6), np.zeros(6))
        slope = (sample.v - previous.v) / 0.01
        assert np.allclose(slope, 0.5 * (sample.a + previous.a), atol=1e-9)
        previous = sample


@pytest.mark.parametrize("order", [1, 2, 3])
def test_gain_at_the_cutoff_is_minus_3_db(arm, order):
    aligner = SignalAligner(arm, cutoff_hz=5.0, order=order)
    peak = 0.0
    for tick in range(3000):
        wave = np.full(6, np.sin(2 * np.pi * 5.0 * tick * 1e-3))
        sample = aligner.push(tick * 1e-3, 0 * wave, wave, 0 * wave)
        peak = max(peak, sample.v[0]) if tick > 2000 else 0.0
    assert peak == pytest.approx(np.sqrt(0.5), rel=5e-3)


def test_order_one_is_exact_for_held_torque(arm, rng):
    coarse, fine = (SignalAligner(arm, order=1) for _ in range(2))
    zero = np.zeros(6)
    for aligner in (coarse, fine):
        aligner.push(0.0, zero, zero, zero)
        aligner.push(0.02, zero, zero, zero)
    for step in range(1, 20):
        tau = rng.normal(size=6)
        kept = coarse.push(0.02 * (step + 1), zero, zero, tau)
        for part in (0.25, 0.5, 0.75, 1.0):
            last = fine.push(0.02 * (step + part), zero, zero, tau)
    assert np.allclose(last.tau, kept.tau, atol=1e-12)


def test_free_flyer_stays_on_the_manifold_and_follows(biped):
    motion = Motion(biped, home(biped), 0.3, seed=8, base_amplitude=0.4)
    aligner = SignalAligner(biped)
    for tick in range(800):
        q, v, a = motion(tick * 1e-3)
        sample = aligner.push(tick * 1e-3, q, v, np.zeros(21))
    assert np.linalg.norm(sample.q[3:7]) == pytest.approx(1.0, abs=1e-12)
    past_q, past_v, past_a = motion(0.799 - aligner.delay_s - 0.5e-3)
    assert np.abs(pin.difference(biped, past_q, sample.q)).max() < 0.01
    assert np.abs(sample.v - past_v).max() < 0.1
    assert np.abs(sample.a - past_a).max() < 0.05 * np.abs(a).max()
    assert np.abs(sample.v - v).max() > 2 * np.abs(sample.v - past_v).max()


def test_quaternion_sign_does_not_matter(biped):
    plain, flipped = SignalAligner(biped), SignalAligner(biped)
    motion = Motion(biped, home(biped), 0.3, seed=8)
    for tick in range(100):
        q, v, _ = motion(tick * 1e-3)
        one = plain.push(tick * 1e-3, q, v, np.zeros(21))
        if tick % 2:
            q = q.copy()
            q[3:7] *= -1.0
        other = flipped.push(tick * 1e-3, q, v, np.zeros(21))
    assert np.abs(pin.difference(biped, one.q, other.q)).max() < 1e-10


def test_torque_timing(arm):
    zero = np.zeros(6)
    outputs = {}
    for timing in TorqueTiming:
        aligner = SignalAligner(arm, torque_timing=timing)
        aligner.push(0.0, zero, zero, np.zeros(6))
        outputs[timing] = aligner.push(0.01, zero, zero, np.ones(6)).tau
    assert np.array_equal(outputs[TorqueTiming.INTERVAL_MEAN], np.ones(6))
    assert np.array_equal(outputs[TorqueTiming.INSTANTANEOUS], 0.5 * np.ones(6))


@pytest.mark.parametrize("change", [{"cutoff_hz": 4.0}, {"order": 1}])
def test_filter_settings_change_the_output(arm, change):
    outputs = []
    for settings in ({}, change):
        aligner = SignalAligner(arm, **settings)
        for time_s, q, v, tau in _simulate(arm, 0.2):
            sample = aligner.push(time_s, q, v, tau)
        outputs.append(sample.v)
    assert not np.allclose(*outputs, rtol=1e-3)


def _good(time_s):
    return [time_s, np.zeros(6), np.ones(6), np.ones(6)]


@pytest.mark.parametrize(
    ("position", "value", "fault"),
    [
        (0, 0.01, SampleFault.TIME_STEP),
        (0, 0.0, SampleFault.TIME_STEP),
        (0, np.nan, SampleFault.NON_FINITE),
        (1, np.full(6, np.nan), SampleFault.NON_FINITE),
        (2, np.full(6, np.inf), SampleFault.NON_FINITE),
        (3, np.full(6, np.nan), SampleFault.NON_FINITE),
        (2, np.zeros(5), SampleFault.DIMENSION),
        (3, None, SampleFault.DIMENSION),
        (1, "lost", SampleFault.DIMENSION),
    ],
)
def test_faulty_sample_is_ignored_and_counted(arm, position, value, fault):
    faulty, clean = SignalAligner(arm), SignalAligner(arm)
    for time_s in (0.0, 0.01):
        faulty.push(*_good(time_s))
        clean.push(*_good(time_s))
    bad = _good(0.02)
    bad[position] = value
    assert faulty.push(*bad) is None
    assert faulty.rejections == {fault: 1}
    after, expected = faulty.push(*_good(0.03)), clean.push(*_good(0.03))
    assert np.array_equal(after.tau, expected.tau)


def test_zero_quaternion_is_refused(biped):
    aligner = SignalAligner(biped)
    assert aligner.push(0.0, np.zeros(28), np.zeros(27), np.zeros(21)) is None
    assert aligner.rejections == {SampleFault.CONFIGURATION: 1}


@pytest.mark.parametrize(("max_gap_s", "restarts"), [(0.1, True), (1.0, False)])
def test_long_gap_starts_again(arm, max_gap_s, restarts):
    aligner = SignalAligner(arm, max_gap_s=max_gap_s)
    aligner.push(*_good(0.0))
    aligner.push(*_good(0.01))
    assert (aligner.push(*_good(0.5)) is None) is restarts
    assert aligner.rejections.get(SampleFault.GAP, 0) == restarts
    assert aligner.push(*_good(0.51)) is not None


def test_first_sample_gives_nothing_and_is_no_fault(arm):
    aligner = SignalAligner(arm)
    assert aligner.push(*_good(0.0)) is None
    assert aligner.rejections == {}


def test_callers_buffers_may_be_reused(arm):
    aligner, buffer = SignalAligner(arm), np.zeros(6)
    aligner.push(0.0, np.zeros(6), buffer, np.zeros(6))
    buffer[:] = 1.0
    sample = aligner.push(0.01, np.zeros(6), buffer, np.zeros(6))
    assert np.allclose(sample.a, 100.0)
    with pytest.raises(ValueError, match="read-only"):
        sample.v[0] = 0.0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cutoff_hz", 0.0),
        ("cutoff_hz", np.nan),
        ("order", 0),
        ("order", 1.5),
        ("order", True),
        ("torque_timing", "instantaneous"),
        ("max_gap_s", -1.0),
    ],
)
def test_settings_are_checked(arm, field, value):
    with pytest.raises(InvalidSettingError, match=field):
        SignalAligner(arm, **{field: value})
