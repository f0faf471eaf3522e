"""The detectors on their own."""

import numpy as np
import pytest
from scipy.stats import median_abs_deviation

from ekf.errors import InvalidSettingError
from ekf.learning.drift.cusum import CusumDetector
from ekf.learning.drift.hampel import HampelDetector
from ekf.learning.drift.innovation import InnovationDetector
from ekf.learning.drift.robust_scale import robust_scale


def _first(detector, values):
    return next((k for k, x in enumerate(values) if detector.update(x)), None)


def test_scale_is_the_median_absolute_deviation():
    values = np.random.default_rng(9).normal(size=31)
    centre, scale = robust_scale(values)
    assert centre == np.median(values)
    expected = median_abs_deviation(values, scale="normal")
    assert scale == pytest.approx(expected, rel=1e-5)


def test_hampel_fires_on_an_outlier_of_the_window_before_it():
    detector = HampelDetector(radius=3)
    for value in (1.0, 1.2, 0.9, 1.1, 1.0, 0.8):
        detector.update(value)
    # Median 1, MAD 0.1: the window does not hold the value that is judged.
    assert detector.score(1.3) == pytest.approx(0.3 / 0.14826)
    assert not detector.update(1.3)
    assert detector.update(50.0)


def test_hampel_says_nothing_before_four_values_and_little_after():
    assert _first(HampelDetector(), [0.0, 1.0, 2.0, 1e6]) is None
    assert _first(HampelDetector(), [0.0, 0.0, 0.0, 0.0, 1e-6]) == 4
    rng = np.random.default_rng(0)
    counts = np.zeros(40)
    for _ in range(300):
        detector = HampelDetector(radius=20)
        counts += [detector.update(x) for x in rng.normal(size=40)]
    # With four values in the window it fires twenty times as often as with forty.
    assert counts[4] / 300 > 0.15
    assert counts[30:].mean() / 300 < 0.02


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_cusum_finds_a_shift_of_the_mean(sign):
    rng = np.random.default_rng(1)
    noise = rng.normal(size=400)
    noise[200:] += 3.0 * sign
    fixed = CusumDetector(h=15.0, adaptive=False)
    assert 200 <= _first(fixed, noise) <= 215
    one_sided = CusumDetector(h=15.0, adaptive=False, two_sided=False)
    assert (_first(one_sided, noise) is None) == (sign < 0.0)


def test_adaptive_cusum_absorbs_a_lasting_shift():
    rng = np.random.default_rng(1)
    noise = rng.normal(size=400)
    noise[200:] += 3.0
    fixed, adaptive = CusumDetector(h=15.0, adaptive=False), CusumDetector(h=15.0)
    assert sum(map(fixed.update, noise)) > 20
    assert sum(map(adaptive.update, noise)) <= 3


def test_innovation_detector_sees_a_wider_spread_and_ignores_one_outlier():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(600, 2))
    values[300] = 1e3
    assert _first(InnovationDetector(2), values) is None
    values[500:] *= 3.0
    assert 500 < _first(InnovationDetector(2), values) < 520


def test_innovation_detector_waits_for_the_filter():
    detector = InnovationDetector(warmup=10)
    for _ in range(100):
        assert not detector.update(1e3, factor=50.0)
    assert not detector.armed
    for _ in range(10):
        detector.update(1.0)
    assert detector.armed and detector.level == 0.0
    detector.reset()
    assert not detector.armed


def test_innovation_detector_scales_with_the_noise():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(400, 2)) * [1.0, 1e-3]
    values[250:, 1] *= 5.0
    first = _first(InnovationDetector(2), values)
    assert 250 < first < 270
    scaled = _first(InnovationDetector(2), 1e4 * values)
    assert scaled == first


def test_innovation_detector_fires_once_for_one_lasting_change():
    rng = np.random.default_rng(6)
    values = rng.normal(size=(600, 2))
    values[300:] *= 4.0
    detector = InnovationDetector(2)
    events = [k for k, x in enumerate(values) if detector.update(x)]
    assert len(events) == 1 and 300 < events[0] < 320


def test_innovation_false_alarms_are_rare_however_long_it_runs():
    rng = np.random.default_rng(4)
    assert _first(InnovationDetector(2), rng.normal(size=(20_000, 2))) is None
    runs = [_first(InnovationDetector(2), rng.normal(size=(200, 2))) for _ in range(60)]
    assert runs == [None] * 60


@pytest.mark.parametrize(
    "detector", [HampelDetector(), CusumDetector(), InnovationDetector()]
)
def test_values_that_are_not_finite_are_counted_and_ignored(detector):
    rng = np.random.default_rng(5)
    for value in rng.normal(size=150):
        detector.update(value)
    before = {k: repr(v) for k, v in vars(detector).items() if k not in ("n_missing",)}
    for bad in (float("nan"), float("inf")):
        assert not detector.update(bad)
    assert detector.n_missing == 2
    assert before == {k: repr(v) for k, v in vars(detector).items() if k in before}


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: HampelDetector(radius=0), "radius"),
        (lambda: HampelDetector(n_sigmas=0.0), "n_sigmas"),
        (lambda: CusumDetector(ref_mult=0), "ref_mult"),
        (lambda: CusumDetector(k=-1.0), "k"),
        (lambda: InnovationDetector(0), "n"),
        (lambda: InnovationDetector(threshold=1.0), "clip"),
        (lambda: InnovationDetector(floor=0.0), "floor"),
    ],
)
def test_settings_are_checked(make, field):
    with pytest.raises(InvalidSettingError, match=field):
        make()
