"""Settings: defaults of the paper, validation, names."""

import dataclasses

import numpy as np
import pytest

from ekf import EkfError, FictitiousPrior, PriorRegime, ProcessNoise, torque_variance
from ekf.errors import InvalidSettingError, UnknownLinkError


def test_defaults_are_table_iii():
    assert np.array_equal(ProcessNoise().variances(), [1e-3] + [1e-2] * 9)
    prior = FictitiousPrior()
    assert prior.regime is PriorRegime.INERTIA_ONLY
    assert np.array_equal(prior.variances(), [1e-2] * 6)


def test_process_noise_entries_go_to_their_own_channels():
    noise = ProcessNoise(alpha=1.0, d=2.0, s=3.0, t=4.0)
    assert np.array_equal(noise.variances(), [1, 2, 2, 2, 3, 3, 3, 4, 4, 4])


@pytest.mark.parametrize(
    ("regime", "channels"),
    [
        (PriorRegime.NONE, []),
        (PriorRegime.INERTIA_ONLY, [1, 2, 3, 4, 5, 6]),
        (PriorRegime.ALL, list(range(10))),
    ],
)
def test_prior_acts_on_the_channels_of_its_regime(regime, channels):
    prior = FictitiousPrior(
        regime=regime,
        variance_alpha=1.0,
        variance_d=2.0,
        variance_s=3.0,
        variance_t=4.0,
    )
    assert list(prior.channels()) == channels
    values = np.array([1.0, 2, 2, 2, 3, 3, 3, 4, 4, 4])
    assert np.array_equal(prior.variances(), values[channels])


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, "1", None, True])
@pytest.mark.parametrize("field", ["alpha", "d", "s", "t"])
def test_process_noise_is_checked(field, value):
    with pytest.raises(InvalidSettingError, match=f"ProcessNoise.{field}") as caught:
        ProcessNoise(**{field: value})
    assert caught.value.rule


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan])
@pytest.mark.parametrize("name", ["d", "s", "alpha", "t"])
def test_prior_is_checked(name, value):
    with pytest.raises(InvalidSettingError, match=f"variance_{name}"):
        FictitiousPrior(**{f"variance_{name}": value})


def test_regime_is_an_enum_not_a_string():
    with pytest.raises(InvalidSettingError, match="PriorRegime.ALL"):
        FictitiousPrior(regime="all")


def test_settings_are_frozen_and_keyword_only():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ProcessNoise().alpha = 1.0
    with pytest.raises(TypeError):
        ProcessNoise(1e-3)


def test_torque_variance(biped, arm):
    variance = torque_variance(biped, by_joint={"SPINE_Z": 1e3})
    spine = biped.joints[biped.getJointId("SPINE_Z")].idx_v
    assert np.all(variance[:6] == 1e3)
    assert variance[spine] == 1e3
    assert np.count_nonzero(variance == 1e2) == biped.nv - 7
    assert np.all(torque_variance(arm) == 1e2)
    assert np.all(torque_variance(arm, joints=3.0) == 3.0)
    assert np.all(torque_variance(biped, base=7.0)[:6] == 7.0)


def test_torque_variance_is_checked(biped):
    with pytest.raises(InvalidSettingError, match="base"):
        torque_variance(biped, base=0.0)
    with pytest.raises(InvalidSettingError, match="SPINE_Z"):
        torque_variance(biped, by_joint={"SPINE_Z": -1.0})
    with pytest.raises(UnknownLinkError, match="SPINE_Z"):
        torque_variance(biped, by_joint={"SPINE": 1.0})


def test_every_error_is_an_ekf_error():
    assert issubclass(InvalidSettingError, EkfError)
    assert issubclass(UnknownLinkError, EkfError)
