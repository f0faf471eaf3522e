"""Loads that come and go: detected, found, blamed on the right link, forgotten."""

import numpy as np
import pinocchio as pin
import pytest
from supervised_runs import LEFT, RIGHT, TICK_S, BipedRun, load

from ekf import InertialEKF, SupervisedEKF, SupervisorSettings, TrustedWriteBack
from ekf.errors import DimensionError, InvalidSettingError
from ekf.supervisor.link_monitor import LinkState


def _first(run, kind):
    return next(time_s for name, _, time_s in run.events if name == kind)


def _settled_after(run, start_s, value, band):
    """Time after `start_s` from which the left payload stays within a band."""
    times = TICK_S * np.arange(1, len(run.masses) + 1)
    outside = np.abs(run.masses[:, 0] - value) > band
    late = times[outside & (times > start_s)]
    return late[-1] - start_s if len(late) else 0.0


@pytest.mark.parametrize("kg", [5.0, 1.0, 0.5])
def test_attach_and_detach_within_three_tenths(biped, kg):
    run = BipedRun(biped)
    run.feed(6.0)
    run.feed(2.0, load(kg))
    assert _first(run, "attach") - 6.0 <= 0.1
    assert _settled_after(run, 6.0, kg, 0.1 * kg) <= 0.4
    run.feed(1.0)
    assert _first(run, "detach") - 8.0 <= 0.1
    assert np.all(run.masses[-90:, 0] == 0.0)
    assert run.masses.min() >= 0.0
    assert [kind for kind, *_ in run.events] == ["attach", "detach"]


def test_a_change_of_load_is_followed(biped):
    run = BipedRun(biped)
    run.feed(0.5)
    run.feed(2.0, load(2.0))
    assert run.masses[-1, 0] == pytest.approx(2.0, abs=0.05)
    run.feed(0.6, load(4.0))
    assert run.masses[-1, 0] == pytest.approx(4.0, abs=0.4)
    kinds = [kind for kind, *_ in run.events]
    assert kinds == ["attach", "change"]


@pytest.mark.parametrize("rate_kg_per_s", [0.8, -0.8])
def test_a_load_that_changes_slowly_is_followed(biped, rate_kg_per_s):
    """A bucket that fills, or that leaks."""
    run = BipedRun(biped, noise_Nm=0.05)
    run.feed(6.0)
    kg = 1.0 if rate_kg_per_s > 0.0 else 5.0
    run.feed(1.0, load(kg))
    errors = []
    for _ in range(500):
        kg += rate_kg_per_s * TICK_S
        run.feed(TICK_S, load(kg))
        errors.append(run.masses[-1, 0] - kg)
    print(f"largest error {np.abs(errors).max():.2f} kg")
    assert np.abs(errors).max() < 0.4
    run.feed(1.0, load(kg))
    assert run.masses[-1, 0] == pytest.approx(kg, abs=0.1)
    assert np.all(run.masses[:, 1] == 0.0)


@pytest.mark.parametrize("amplitude", [0.25, 0.0], ids=["moving", "resting"])
def test_a_load_that_creeps_in_is_noticed(biped, amplitude):
    """3 kg in 20 s: long before the noise that it looks like has hidden it."""
    run = BipedRun(biped, noise_Nm=0.2, amplitude=amplitude)
    run.feed(6.0)
    for k in range(2000):
        run.feed(TICK_S, load(3.0 * (k + 1) / 2000))
    noticed_kg = 3.0 / 20.0 * (_first(run, "attach") - 6.0)
    print(f"noticed at {noticed_kg:.2f} kg")
    assert noticed_kg < 1.2
    assert run.masses[-1, 0] == pytest.approx(3.0, abs=0.4)
    assert np.all(run.masses[:, 1] == 0.0)


@pytest.mark.parametrize("kg", [0.3, -0.3])
def test_less_than_a_tenth_is_no_change(biped, kg):
    """It is followed all the same."""
    run = BipedRun(biped, noise_Nm=0.05)
    run.feed(6.0)
    run.feed(2.0, load(5.0))
    run.feed(4.0, load(5.0 + kg))
    assert [kind for kind, *_ in run.events] == ["attach"]
    assert run.masses[-1, 0] == pytest.approx(5.0 + kg, abs=0.1)


def test_a_misfit_that_comes_and_goes_is_tried_ever_more_rarely(biped):
    """As a load that swings: once more and more rarely, not at each swing."""
    run = BipedRun(biped, noise_Nm=0.05)
    run.feed(3.0)
    run.feed(3.0, load(3.0))
    for _ in range(20):
        run.feed(0.4, load(4.2))
        run.feed(0.4, load(3.0))
    kinds = [kind for kind, *_ in run.events]
    assert kinds.count("attach") == 1 and kinds.count("detach") == 0
    assert 1 <= kinds.count("change") <= 6


def test_both_arms_at_once(biped):
    run = BipedRun(biped)
    run.feed(0.5)
    result = run.feed(2.0, load(5.0), load(2.0, RIGHT))
    assert result.reports[0].mass_kg == pytest.approx(5.0, abs=0.1)
    assert result.reports[1].mass_kg == pytest.approx(2.0, abs=0.1)
    assert {link for _, link, _ in run.events} == {LEFT, RIGHT}


def test_standing_still_nothing_leaks_into_the_idle_arm(biped):
    run = BipedRun(biped, amplitude=0.0)
    run.feed(0.5)
    run.feed(10.0, load(5.0))
    assert np.all(run.masses[:, 1] == 0.0)
    assert run.masses[-1, 0] == pytest.approx(5.0, abs=0.1)


def test_twenty_cycles_end_where_they_began(biped):
    run = BipedRun(biped, noise_Nm=0.05)
    run.feed(0.5)
    ends = []
    for _ in range(20):
        run.feed(0.7, load(5.0))
        ends.append(run.masses[-1, 0])
        run.feed(0.3)
        assert run.masses[-1, 0] <= 0.05
    assert np.ptp(ends) < 0.25
    kinds = [kind for kind, *_ in run.events]
    assert (kinds.count("attach"), kinds.count("detach")) == (20, 20)
    assert np.array_equal(run.ekf.estimate.theta, np.zeros((2, 10)))


@pytest.mark.parametrize(
    ("joint", "place"),
    [("SPINE_Z", (0.1, 0.0, 0.3)), ("LEFT_HIP_Y", (0.05, 0.0, -0.2))],
)
def test_a_load_elsewhere_is_unexplained_and_blamed_on_no_arm(biped, joint, place):
    run = BipedRun(biped)
    run.feed(1.0)
    result = run.feed(2.0, (joint, 5.0, place))
    assert run.masses.max() == 0.0
    assert run.events == []
    assert result.unexplained is not None
    assert result.unexplained.weight_kg == pytest.approx(5.0, abs=0.7)
    # An arm's own load is still found beside it.
    result = run.feed(2.0, (joint, 5.0, place), load(3.0))
    assert result.reports[0].mass_kg == pytest.approx(3.0, abs=0.3)
    assert result.reports[1].mass_kg == 0.0


def test_no_false_alarm_in_noise(biped):
    """Noise of 1 Nm in every joint, learnt within seconds."""
    run = BipedRun(biped, noise_Nm=1.0)
    run.feed(20.0)
    assert run.events == []
    assert run.masses.max() == 0.0


def test_noise_that_grows_tenfold_is_learnt(biped):
    """After a quiet while everything is an alarm: neither load nor for ever."""
    run = BipedRun(biped, noise_Nm=0.1)
    run.feed(10.0)
    run.noise_Nm = 1.0
    run.feed(12.0)
    events = len(run.events)
    result = run.feed(12.0)
    assert len(run.events) == events <= 4
    assert result.unexplained is None
    assert result.states == (LinkState.NOMINAL, LinkState.NOMINAL)
    # What is really a load is still one, and quiet comes back.
    assert run.feed(1.0, load(5.0)).reports[0].mass_kg == pytest.approx(5.0, abs=0.5)
    run.noise_Nm = 0.1
    smallest = run.feed(12.0).reports[0].smallest_kg
    assert smallest < 0.5


def test_slow_noise_that_grows_is_learnt_too(biped):
    """Behind a low pass noise looks like loads that come and go."""
    run = BipedRun(biped)
    rng, stages, noise_Nm = np.random.default_rng(9), np.zeros((2, 21)), 0.15

    def spoil(tau):
        stages[0] += 0.54 * (rng.normal(size=21) - stages[0])
        stages[1] += 0.54 * (stages[0] - stages[1])
        return tau + noise_Nm * stages[1] / 0.459

    run.spoil = spoil
    run.feed(10.0)
    noise_Nm = 0.6
    run.feed(15.0)
    events = len(run.events)
    run.feed(10.0)
    assert len(run.events) <= events + 2


def test_a_load_elsewhere_is_not_learnt_as_noise(biped):
    """However long it hangs there, an arm's own load is noticed beside it."""
    run = BipedRun(biped, noise_Nm=0.1)
    run.feed(10.0)
    torso = ("SPINE_Z", 5.0, (0.1, 0.0, 0.3))
    assert run.feed(20.0, torso).unexplained.weight_kg == pytest.approx(5.0, abs=0.7)
    result = run.feed(1.0, torso, load(1.0))
    assert result.reports[0].mass_kg == pytest.approx(1.0, abs=0.1)


def test_smallest_load_grows_with_the_noise(biped):
    quiet, noisy = BipedRun(biped), BipedRun(biped, noise_Nm=1.0)
    smallest = [run.feed(10.0).reports[0].smallest_kg for run in (quiet, noisy)]
    assert smallest[0] < 0.3
    assert smallest[1] > 2.0 * smallest[0]
    # What it says is true: a load well above is found, one well below is not.
    found = quiet.feed(1.0, load(1.5 * smallest[0]))
    assert found.states[0] is not LinkState.NOMINAL
    missed = noisy.feed(1.0, load(0.3 * smallest[1]))
    assert missed.states[0] is LinkState.NOMINAL


def test_quiet_estimates_stay_quiet_and_events_are_quick(biped):
    """Table III's constant noise against noise on demand."""
    run = BipedRun(biped, noise_Nm=0.5)
    constant = InertialEKF(
        biped,
        [LEFT, RIGHT],
        feet=("LEFT_SOLE", "RIGHT_SOLE"),
        measurement_variance=run.ekf.measurement_variance,
    )
    masses = []

    def both(tau):
        masses.append(constant.estimate.mass_kg[0] - 0.616)
        return tau

    run.spoil = both
    say = run.say

    def say_both(*signals, **flags):
        constant.update(*signals, dt_s=TICK_S)
        return say(*signals, **flags)

    run.say = say_both
    run.feed(1.0)
    run.feed(4.0, load(5.0))
    slosh = np.std(masses[-200:])
    quiet, settled_s = np.std(run.masses[-200:, 0]), _settled_after(run, 1.0, 5.0, 0.5)
    outside = np.abs(np.array(masses) - 5.0) > 0.5
    constant_s = TICK_S * (np.flatnonzero(outside)[-1] + 1) - 1.0
    print(f"to 10 %: {settled_s:.2f} s, constant noise {constant_s:.2f} s")
    print(f"steady: {quiet:.3f} kg, constant noise {slosh:.3f} kg")
    assert quiet < 0.5 * slosh
    assert settled_s < constant_s + 0.05


def test_only_the_affected_link_is_inflated(biped):
    run = BipedRun(biped)
    run.feed(0.5)
    before = run.ekf.estimate.covariance[10:, 10:].copy()
    run.feed(0.2, load(5.0))
    assert run.events[0][:2] == ("attach", LEFT)
    assert np.array_equal(run.ekf.estimate.covariance[10:, 10:], before)


def test_states_tell_what_is_believed(biped):
    run = BipedRun(biped)
    assert run.feed(0.5).states == (LinkState.NOMINAL, LinkState.NOMINAL)
    assert run.feed(0.3, load(5.0)).states[0] is LinkState.ACQUIRING
    assert run.feed(1.0, load(5.0)).states[0] is LinkState.TRACKING
    run.supervised.hold(LEFT)
    assert run.feed(0.1, load(5.0)).states[0] is LinkState.FROZEN


def test_hold_keeps_value_and_variance_and_resume_goes_on(biped):
    run = BipedRun(biped)
    run.feed(0.5)
    run.feed(1.5, load(5.0))
    run.supervised.hold(LEFT)
    before = run.ekf.estimate
    run.feed(0.5, load(2.0))
    assert np.array_equal(run.ekf.estimate.theta, before.theta)
    own = slice(0, 10)
    kept = run.ekf.estimate.covariance[own, own]
    assert np.allclose(kept, before.covariance[own, own], rtol=1e-12)
    run.supervised.resume(LEFT)
    run.feed(1.0, load(2.0))
    assert run.masses[-1, 0] == pytest.approx(2.0, abs=0.2)
    with pytest.raises(InvalidSettingError, match=RIGHT):
        run.supervised.hold("LEFT_KNEE_Y")


def test_release_returns_to_nominal_at_once(biped):
    run = BipedRun(biped)
    run.feed(0.5)
    run.feed(1.0, load(5.0))
    run.supervised.release(LEFT)
    assert run.supervised.states() == (LinkState.NOMINAL, LinkState.NOMINAL)
    assert np.array_equal(run.ekf.estimate.theta, np.zeros((2, 10)))


def test_reset_starts_again_and_gives_the_same_answer(biped):
    run = BipedRun(biped)
    run.feed(0.5)
    run.feed(1.0, load(5.0))
    first = run.masses.copy()
    run.supervised.reset()
    run.time_s, run.history = 0.0, []
    run.feed(0.5)
    run.feed(1.0, load(5.0))
    assert np.array_equal(run.masses, first)


def test_channels_nothing_excites_are_named(biped):
    run = BipedRun(biped, amplitude=0.0)
    run.feed(0.5)
    result = run.feed(2.0, load(5.0))
    assert {"d1", "s12"} <= set(result.reports[0].not_excited)
    assert "alpha" not in result.reports[0].not_excited
    assert result.reports[0].observability.shape == (10,)


def test_report_places_the_load_in_the_world(biped):
    run = BipedRun(biped)
    run.feed(0.5)
    report = run.feed(2.0, load(5.0)).reports[0]
    assert np.allclose(report.com_m, (0.0, 0.0, -0.41), atol=0.02)
    data = biped.createData()
    q = run.sample()[0]
    pin.forwardKinematics(biped, data, q)
    expected = data.oMi[biped.getJointId(LEFT)].act(np.array([0.0, 0.0, -0.41]))
    assert np.allclose(report.com_world_m, expected, atol=0.02)
    low, high = report.interval_kg
    assert low < 5.0 < high
    assert np.all(report.sigma_com_m > 0.0)


def test_attachments_are_checked(biped):
    ekf = InertialEKF(biped, [LEFT, RIGHT])
    with pytest.raises(DimensionError):
        SupervisedEKF(ekf, attachments_m=[(0.0, 0.0, 0.0)])
    with pytest.raises(InvalidSettingError):
        SupervisedEKF(ekf, attachments_m=np.full((2, 3), np.nan))
    with pytest.raises(InvalidSettingError):
        SupervisorSettings(tracking_scale=-1.0)


def test_published_inertia_follows_and_returns_exactly(biped):
    run = BipedRun(biped)
    nominal = run.ekf.nominal_parameters
    out = TrustedWriteBack(
        nominal,
        max_mass_rate_kg_per_s=100.0,
        max_moment_rate_kgm_per_s=60.0,
        max_inertia_rate_kgm2_per_s=50.0,
    )
    moved = [nominal[0, 0]]
    for loads in ((), (load(5.0),), ()):
        for _ in range(100):
            result = run.feed(TICK_S, *loads)
            published = out.step(result.estimate.parameters, result.reports, TICK_S)
            moved.append(published[0, 0])
    assert max(moved) == pytest.approx(5.616, abs=0.1)
    assert np.abs(np.diff(moved)).max() <= 1.0 + 1e-9
    assert np.array_equal(published, nominal)
