"""Logs and the reader of samples."""

import numpy as np
import pytest
from ekf_robots import build_arm, build_biped, home

from ekf import JointLog, JointSample
from ekf.errors import DimensionError
from ekf.signals.samples import SampleReader


def test_a_log_gives_its_samples_and_cannot_be_changed():
    q = np.arange(6.0).reshape(3, 2)
    log = JointLog(time_s=[0.0, 1.0, 2.0], q=q, v=q, tau=q)
    q[:] = 0.0
    samples = list(log)
    assert len(log) == len(samples) == 3
    assert samples[1].q.tolist() == [2.0, 3.0] and samples[1].a is None
    with pytest.raises(ValueError, match="read-only"):
        log.q[0, 0] = 1.0
    with pytest.raises(DimensionError, match="tau"):
        JointLog(time_s=[0.0, 1.0, 2.0], q=q, v=q, tau=q[:2])


def test_channels_may_bring_all_accelerations_or_none():
    reader = SampleReader(build_arm())
    named = {"t": 1.0, "extra": "ignored"}
    for prefix in ("q", "qd", "tau"):
        named |= {f"{prefix}_{i}": 0.1 * i for i in range(6)}
    assert reader.read(named).a is None
    assert reader.read(named | {"qdd_0": 1.0}) is None
    full = named | {f"qdd_{i}": float(i) for i in range(6)}
    assert reader.read(full).a.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize(
    "bad",
    [
        None,
        3.0,
        "text",
        (0.0, [0.0] * 6),
        (0.0, [0.0] * 5, [0.0] * 6, [0.0] * 6),
        (float("nan"), [0.0] * 6, [0.0] * 6, [0.0] * 6),
        (0.0, [0.0] * 6, [float("inf")] * 6, [0.0] * 6),
        (0.0, [0.0] * 6, [0.0] * 6, [0.0] * 6, [0.0] * 5),
        (0.0, None, [0.0] * 6, [0.0] * 6),
        {"t": 0.0},
    ],
)
def test_what_is_unusable_gives_nothing(bad):
    assert SampleReader(build_arm()).read(bad) is None


def test_floating_base_needs_a_unit_quaternion_and_its_wrenches():
    model = build_biped()
    reader = SampleReader(model, n_feet=2)
    zeros = np.zeros(model.nv)
    parts = {"time_s": 0.0, "v": zeros, "tau": zeros[6:], "a": zeros}
    wrenches = np.zeros((2, 6))
    good = JointSample(q=home(model), wrenches=wrenches, **parts)
    assert reader.read(good) is good
    assert reader.read(JointSample(q=home(model), **parts)) is None
    twice = np.concatenate((home(model)[:3], 2.0 * home(model)[3:7], home(model)[7:]))
    assert reader.read(JointSample(q=twice, wrenches=wrenches, **parts)) is None
