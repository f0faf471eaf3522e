"""Bad samples: each case with what is refused, what goes on, and how it recovers."""

import numpy as np
import pinocchio as pin
import pytest
from supervised_runs import LEFT, RIGHT, RIGHT_ARM, TICK_S, BipedRun, load, rows_of

from ekf import InertialEKF, SignalAligner, SupervisedEKF
from ekf.filter.estimate import UpdateStatus
from ekf.supervisor.link_monitor import LinkState


def _loaded_run(biped, **settings):
    run = BipedRun(biped, **settings)
    run.feed(0.5)
    run.feed(1.5, load(3.0), load(2.0, RIGHT))
    return run


# Time (a stamp that repeats, goes back, or comes from another clock)


def test_a_repeated_stamp_is_refused_and_counted(biped):
    run = _loaded_run(biped)
    before = run.ekf.estimate
    q, v, a, tau, wrenches = run.sample()
    for torque in (1.5 * tau, tau, tau):
        result = run.say(q, v, a, torque, wrenches)
        assert result.estimate.status is UpdateStatus.REJECTED_TIME_STEP
        assert "repeated" in result.estimate.reason
    assert run.supervised.counts["stamp_repeated"] == 3
    assert np.array_equal(run.ekf.estimate.covariance, before.covariance)
    assert run.feed(0.05, load(3.0), load(2.0, RIGHT)).estimate.ok


@pytest.mark.parametrize(
    ("stamp_s", "name"),
    [
        (0.0, "backwards"),
        (0.01, "backwards"),
        (32.0, "future"),
        (float("nan"), "non_finite"),
        ("late", "non_finite"),
    ],
)
def test_one_odd_stamp_is_refused_by_reason(biped, stamp_s, name):
    run = _loaded_run(biped)
    before = run.ekf.estimate
    result = run.supervised.update(stamp_s, *run.sample())
    assert result.estimate.status is UpdateStatus.REJECTED_TIME_STEP
    assert run.supervised.counts[f"stamp_{name}"] == 1
    assert np.array_equal(run.ekf.estimate.theta, before.theta)
    assert run.feed(0.05, load(3.0), load(2.0, RIGHT)).estimate.ok


@pytest.mark.parametrize("jump_s", [-5.0, -1.9, 60.0])
def test_a_clock_that_is_set_leads_to_one_announced_reset(biped, jump_s):
    run = BipedRun(biped)
    run.time_s = 10.0
    run.feed(0.5)
    run.feed(1.0, load(3.0))
    run.time_s += jump_s
    run.feed(1.0, load(3.0))
    resets = [event for event in run.events if event[0] == "reset"]
    assert len(resets) == 1
    assert run.supervised.counts["reset"] == 1
    assert run.masses[-1, 0] == pytest.approx(3.0, abs=0.3)
    run.time_s += jump_s
    run.feed(1.0, load(3.0))
    assert run.supervised.counts["reset"] == 2


def test_a_gap_restarts_the_windows_and_a_long_one_is_announced(biped):
    run = _loaded_run(biped)
    run.time_s += 0.3
    run.feed(0.5, load(3.0), load(2.0, RIGHT))
    assert run.supervised.counts["gap"] == 1
    assert "reset" not in run.supervised.counts
    run.time_s += 6.0
    run.feed(0.05, load(3.0), load(2.0, RIGHT))
    assert run.supervised.counts["reset"] == 1
    assert run.supervised.states() == (LinkState.ACQUIRING, LinkState.ACQUIRING)
    run.feed(1.0, load(3.0), load(2.0, RIGHT))
    assert run.masses[-1] == pytest.approx([3.0, 2.0], abs=0.1)


# A torque channel that is missing or stuck


@pytest.mark.parametrize("lasting_s", [TICK_S, 1.0])
def test_nan_torque_freezes_its_limb_only_and_recovers(biped, lasting_s):
    run = _loaded_run(biped)
    row = rows_of(biped, LEFT)

    def spoil(tau):
        tau = tau.copy()
        tau[row] = np.nan
        return tau

    for _ in range(2):  # twice: many a fault sits in the second time
        run.spoil = spoil
        result = run.feed(lasting_s, load(3.0), load(2.0, RIGHT))
        assert result.left_out[row[0] + 6]
        frozen = LinkState.FROZEN if lasting_s > 0.2 else LinkState.TRACKING
        assert result.states[0] is frozen
        assert result.states[1] is LinkState.TRACKING
        run.spoil = lambda tau: tau
        run.feed(1.0, load(3.0), load(2.0, RIGHT))
    assert np.isfinite(run.masses).all()
    assert run.supervised.counts[f"channel_{LEFT}"] == 2 * round(lasting_s / TICK_S)
    assert run.masses[-1] == pytest.approx([3.0, 2.0], abs=0.1)
    assert [kind for kind, *_ in run.events] == ["attach", "attach"]


@pytest.mark.parametrize("missing", [RIGHT_ARM[-1:], RIGHT_ARM[:1], RIGHT_ARM])
def test_a_frozen_limb_whose_load_is_gone_is_bare(biped, missing):
    """The joints that are left say so, and the free-flyer's rows if none is."""
    run = _loaded_run(biped)
    rows = rows_of(biped, *(f"LEFT_{joint}" for joint in missing))

    def spoil(tau):
        tau = tau.copy()
        tau[rows] = np.nan
        return tau

    run.spoil = spoil
    run.feed(0.5, load(3.0), load(2.0, RIGHT))
    assert run.supervised.states()[0] is LinkState.FROZEN
    run.feed(0.1, load(2.0, RIGHT))
    kind, link = run.events[-1][:2]
    assert (kind, link) == ("detach", LEFT)
    assert run.masses[-1, 0] == 0.0
    assert run.masses[-1, 1] == pytest.approx(2.0, abs=0.1)
    run.spoil = lambda tau: tau
    events = len(run.events)
    run.feed(1.0, load(2.0, RIGHT))
    assert len(run.events) == events
    assert run.masses[-1, 0] == 0.0


def test_a_frozen_limb_takes_no_load_from_the_rest(biped):
    run = BipedRun(biped)
    row = rows_of(biped, LEFT)

    def spoil(tau):
        tau = tau.copy()
        tau[row] = np.nan
        return tau

    run.spoil = spoil
    run.feed(0.5)
    run.feed(1.0, load(3.0))
    assert not run.events
    run.spoil = lambda tau: tau
    run.feed(0.5, load(3.0))
    assert [event[0] for event in run.events] == ["attach"]
    assert run.masses[-1, 0] == pytest.approx(3.0, abs=0.2)


def test_nan_torque_for_ever_leaves_the_other_arm_alone(biped):
    run = BipedRun(biped)
    row = rows_of(biped, LEFT)
    run.feed(0.5)

    def spoil(tau):
        tau = tau.copy()
        tau[row] = np.nan
        return tau

    run.spoil = spoil
    run.feed(1.0)
    run.feed(2.0, load(4.0, RIGHT))
    assert run.masses[-1, 1] == pytest.approx(4.0, abs=0.2)
    assert np.all(run.masses[:, 0] == 0.0)


def test_a_channel_of_zeros_is_found_and_not_believed(biped):
    run = BipedRun(biped)
    rows = rows_of(biped, *(f"RIGHT_{joint}" for joint in RIGHT_ARM))

    def spoil(tau):
        tau = tau.copy()
        tau[rows] = 0.0
        return tau

    run.spoil = spoil
    run.feed(0.5)
    assert run.supervised.states()[1] is LinkState.FROZEN
    run.feed(2.0, load(4.0))
    assert run.masses[-1, 0] == pytest.approx(4.0, abs=0.2)
    assert run.masses.min() >= 0.0
    assert run.ekf.estimate.mass_kg[1] > 0.3
    assert all(f"channel_RIGHT_{joint}" in run.supervised.counts for joint in RIGHT_ARM)


def test_aligner_lets_one_channel_go_missing(biped):
    """The raw side of the same: NaN in, NaN out, the others filtered as ever."""
    run = BipedRun(biped)
    tolerant = SignalAligner(biped, allow_missing_torque=True)
    strict = SignalAligner(biped)
    for tick in range(100):
        q, v, _, tau, _ = run.sample(1e-3 * tick)
        bad = tau.copy()
        bad[3] = np.nan if 50 <= tick < 60 else tau[3]
        ours = tolerant.push(1e-3 * tick, q, v, bad)
        plain = strict.push(1e-3 * tick, q, v, tau)
        if tick:
            assert np.isnan(ours.tau).sum() == (1 if 50 <= tick < 60 else 0)
            others = np.arange(len(tau)) != 3
            assert np.array_equal(ours.tau[others], plain.tau[others])
    assert tolerant.missing_torques == {biped.names[2 + 3]: 10}
    assert not tolerant.rejections


def test_a_joint_of_several_rows_has_a_channel_a_row():
    """A ball joint in an arm: three torques, each missing by itself."""
    model = pin.Model()
    joints = (pin.JointModelRZ(), pin.JointModelSpherical(), pin.JointModelRY())
    for index, joint in enumerate(joints):
        place = pin.SE3(np.eye(3), np.array([0.02, 0.01, -0.3]))
        model.addJoint(index, joint, place, f"J{index}")
        body = pin.Inertia(1.5, np.array([0.01, 0.02, -0.1]), 0.02 * np.eye(3))
        model.appendBodyToJoint(index + 1, body, pin.SE3.Identity())
    supervised = SupervisedEKF(InertialEKF(model, ["J2"]))
    aligner = SignalAligner(model, allow_missing_torque=True)
    q, v = pin.neutral(model), np.full(5, 0.1)
    tau = pin.rnea(model, model.createData(), q, v, 0.0 * v)
    tau[3] = np.nan
    for tick in range(10):
        assert supervised.update(TICK_S * tick, q, v, 0.0 * v, tau).estimate.ok
        aligner.push(TICK_S * tick, q, v, tau)
    assert supervised.counts["channel_J1[2]"] == 10
    assert aligner.missing_torques == {"J1[2]": 10}


@pytest.mark.parametrize("value", [0.0, 7.5])
def test_aligner_finds_a_stuck_channel(biped, value):
    """Behind a low pass zeros creep towards zero and no longer repeat themselves."""
    run = BipedRun(biped)
    tolerant = SignalAligner(biped, allow_missing_torque=True)
    for tick in range(600):
        q, v, _, tau, _ = run.sample(1e-3 * tick)
        tau[3] = value
        sample = tolerant.push(1e-3 * tick, q, v, tau)
        if tick and abs(tick - 300) > 2:  # 0.3 s, give or take a sample
            stuck = np.flatnonzero(np.isnan(sample.tau))
            assert list(stuck) == ([3] if tick > 300 else [])


def test_unknown_wrenches_leave_out_the_base_only(biped):
    run = _loaded_run(biped)
    for _ in range(50):
        run.time_s += TICK_S
        q, v, a, tau, wrenches = run.sample()
        result = run.say(q, v, a, tau, wrenches * np.nan)
    assert result.left_out[:6].all()
    assert run.supervised.counts["no_wrenches"] == 50
    assert result.states == (LinkState.NOMINAL, LinkState.NOMINAL)  # loads went too
    assert result.unexplained is None  # the robot's own weight is no find
    unexplained = []
    for _ in range(50):
        run.feed(TICK_S)
        unexplained.append(run.supervised.result.unexplained)
    assert unexplained == [None] * 50


# Torques that are wrong but plausible


def test_a_spike_is_gated_and_the_ratio_published(biped):
    run = _loaded_run(biped)
    before = run.masses[-1].copy()
    row = rows_of(biped, LEFT)[0]

    def spoil(tau):
        tau = tau.copy()
        tau[row] += 200.0
        return tau

    run.spoil = spoil
    result = run.feed(TICK_S, load(3.0), load(2.0, RIGHT))
    assert result.test_ratio[row + 6] > 1.0
    assert result.left_out[row + 6]
    assert run.supervised.counts["gated"] >= 1
    run.spoil = lambda tau: tau
    run.feed(0.5, load(3.0), load(2.0, RIGHT))
    assert np.abs(run.masses[-50:] - before).max() < 0.05


def test_rows_out_for_too_long_are_believed_again(biped):
    """A leg torque cannot be explained by an arm: its row is let back in, counted."""
    run = BipedRun(biped)
    run.feed(0.5)
    row = rows_of(biped, "LEFT_KNEE_Y")[0]

    def spoil(tau):
        tau = tau.copy()
        tau[row] += 100.0
        return tau

    run.spoil = spoil
    result = run.feed(0.4)
    assert result.left_out[row + 6]
    result = run.feed(0.3)
    assert not result.left_out[row + 6]
    assert run.supervised.counts["gate_reset"] == 1


def test_saturation_and_slip_weigh_their_rows_down(biped):
    """Torques clipped at a limit read as a load that is not there."""
    rows = rows_of(biped, LEFT)
    saturated = np.zeros(21, dtype=bool)
    saturated[rows] = True
    ends = []
    for flags in ({}, {"saturated": saturated}):
        run = _loaded_run(biped)

        def spoil(tau):
            tau = tau.copy()
            tau[rows] += 6.0
            return tau

        run.spoil = spoil
        run.feed(0.5, load(3.0), load(2.0, RIGHT), **flags)
        ends.append(abs(run.masses[-1, 0] - 3.0))
    assert ends[1] < 0.2 * ends[0]
    slipping = _loaded_run(biped)
    slipping.feed(0.1, load(3.0), load(2.0, RIGHT), slipping=True)
    assert slipping.supervised.counts["slipping"] == 10


def test_a_loaded_foot_that_moves_is_noticed(biped):
    """Told by nobody; a foot that swings freely is no slip."""
    run = BipedRun(biped, amplitude=0.0, slip_speed=0.1)
    run.feed(0.1)
    assert "slipping" not in run.supervised.counts
    q, v, a, tau, wrenches = run.sample()
    v[:3] = (0.3, 0.0, 0.0)
    for swings, slips in ((True, 0), (False, 1)):
        run.time_s += 0.01
        carried = np.zeros_like(wrenches) if swings else wrenches
        run.say(q, v, a, tau, carried)
        assert run.supervised.counts.get("slipping", 0) == slips


def test_a_lasting_wrong_torque_is_no_flood_of_events(biped):
    """No load explains it, and to try again and again does not help."""
    run = _loaded_run(biped)
    row = rows_of(biped, LEFT)[0]

    def spoil(tau):
        tau = tau.copy()
        tau[row] += 12.0
        return tau

    run.events.clear()
    run.spoil = spoil
    run.feed(8.0, load(3.0), load(2.0, RIGHT))
    assert 1 <= len(run.events) <= 5
    run.spoil = lambda tau: tau
    run.feed(2.0, load(3.0), load(2.0, RIGHT))
    assert run.masses[-1, 0] == pytest.approx(3.0, abs=0.3)


def test_a_pull_is_no_payload(biped):
    run = BipedRun(biped)
    run.feed(1.0)
    result = run.feed(3.0, pull_N=20.0)
    assert run.masses.min() >= 0.0
    assert run.masses.max() == 0.0
    assert run.ekf.estimate.mass_kg[0] == pytest.approx(0.616)
    assert result.unexplained is not None
    run.feed(1.0)
    assert run.supervised.result.unexplained is None


def test_wrong_shapes_are_refused_and_nothing_moves(biped):
    run = _loaded_run(biped)
    before = run.ekf.estimate
    q, v, a, tau, wrenches = run.sample()
    bad = [
        (q[:-1], v, a, tau, wrenches),
        (q, v[:-1], a, tau, wrenches),
        (q, v, a, tau[:-1], wrenches),
        (q, v, a, tau, wrenches[:1]),
        (q * np.nan, v, a, tau, wrenches),
        (0.0 * q, v, a, tau, wrenches),
        (None, None, None, None, None),
    ]
    for signals in bad:
        run.time_s += TICK_S
        assert not run.say(*signals).estimate.ok
        assert np.array_equal(run.ekf.estimate.theta, before.theta)
    for flags in ([True] * 3, True, "no"):
        run.time_s += TICK_S
        estimate = run.say(*run.sample(), saturated=flags).estimate
        assert estimate.status is UpdateStatus.REJECTED_DIMENSION
        assert "saturated" in estimate.reason
    assert sum(run.supervised.counts.values()) >= len(bad) + 3
    assert run.feed(0.1, load(3.0), load(2.0, RIGHT)).estimate.ok


def test_refused_for_too_long_is_lost_and_recovers(biped):
    run = _loaded_run(biped)
    q, v, a, tau, wrenches = run.sample()
    for _ in range(510):
        run.time_s += TICK_S
        result = run.say(q * np.nan, v, a, tau, wrenches)
    assert result.states == (LinkState.LOST, LinkState.LOST)
    run.feed(1.0, load(3.0), load(2.0, RIGHT))
    assert run.supervised.states()[0] is LinkState.TRACKING
    assert run.masses[-1] == pytest.approx([3.0, 2.0], abs=0.1)


def test_random_garbage_never_gets_out(biped, rng):
    """Any mixture of NaN, infinity, huge numbers, wrong shapes and stamps."""
    run = BipedRun(biped)
    with np.errstate(all="ignore"):
        for _ in range(1000):
            run.time_s += rng.choice([TICK_S, 0.0, -1.0, 3.0, np.nan], p=_ODDS)
            if not np.isfinite(run.time_s):
                run.time_s = 1.0
            signals = [s.copy() for s in run.sample()]
            which = rng.integers(len(signals))
            victim = signals[which].reshape(-1)
            victim[rng.integers(len(victim))] = rng.choice(
                [np.nan, np.inf, -np.inf, 1e300, 1e6, 0.0]
            )
            result = run.supervised.update(run.time_s, *signals)
            assert np.isfinite(result.estimate.parameters).all()
            assert np.all(result.estimate.mass_kg > 0.0)
            assert np.isfinite(result.estimate.covariance).all()
            for report in result.reports:
                assert report.mass_kg >= 0.0 and np.isfinite(report.sigma_mass_kg)


_ODDS = (0.9, 0.04, 0.02, 0.02, 0.02)
