"""Drives identified from a log of ordinary motion."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from arm_logs import ArmLog

from ekf.errors import InvalidSettingError
from ekf.identification.drive import KINDS
from ekf.identification.evidence import Chain
from ekf.identification.log_fit import fit
from ekf.identification.payload_answer import prepare
from ekf.identification.settings import IdentificationSettings


@pytest.fixture(scope="module")
def model() -> pin.Model:
    built = pin.buildSampleModelManipulator()
    for joint in range(1, built.njoints):
        mass = 4.0 - 0.6 * joint
        built.inertias[joint] = pin.Inertia(
            mass, np.array([0.02, 0.01, 0.1]), 0.01 * mass * np.eye(3)
        )
    return built


def test_friction_is_found_within_its_standard_errors(model: pin.Model) -> None:
    log = ArmLog(coulomb=1.2, duration_s=30.0).make(model)
    chain = Chain.to(model, model.names[model.njoints - 1])
    task = prepare(log, chain, IdentificationSettings())
    assert not isinstance(task, str)
    drives = fit(task).drives
    coulomb, viscous = KINDS.index("coulomb"), KINDS.index("viscous")
    truth = np.zeros((model.nv, len(KINDS)))
    truth[:, coulomb], truth[:, viscous] = 1.2, 0.2
    assert (np.abs(drives.values - truth) < 4.0 * drives.sigma).all()
    assert np.abs(drives.values[:, coulomb] - 1.2).max() < 0.3


def test_clean_takes_off_what_was_added(model: pin.Model) -> None:
    log = ArmLog(coulomb=1.2, noise_Nm=1e-3, duration_s=30.0).make(model)
    chain = Chain.to(model, model.names[model.njoints - 1])
    task = prepare(log, chain, IdentificationSettings())
    assert not isinstance(task, str)
    cleaned = fit(task).drives.clean(log.v, log.tau)
    bare = ArmLog(coulomb=0.0, noise_Nm=1e-3, duration_s=30.0).make(model)
    moving = np.abs(log.v) > 0.1
    left = np.where(moving, cleaned - bare.tau + 0.2 * bare.v, 0.0)
    assert np.sqrt(np.mean(left**2)) < 0.2


def test_settings_must_be_positive() -> None:
    with pytest.raises(InvalidSettingError, match="gain_share"):
        IdentificationSettings(gain_share=0.0)
