"""Signs, factors and offsets of each joint's column."""

from __future__ import annotations

import numpy as np
import pytest

from models.errors import UnknownNameError
from scenarios.errors import ScenarioError
from scenarios.studies.estimators.streams.columns import ColumnMapping, joint_log
from scenarios.studies.estimators.streams.robots import panda

MODEL = panda().model
TABLE = {"t": np.arange(3.0)} | {
    f"{kind}_{i}": np.full(3, 1.0) for kind in ("q", "qd", "tau") for i in range(9)
}


def test_currents_become_torques_joint_by_joint() -> None:
    factors, offsets = tuple(float(k - 4) for k in range(9)), (0.5,) * 9
    mapping = ColumnMapping(
        tau_scale=2.0,
        tau_joint_scale=factors,
        tau_joint_offset=offsets,
        q_joint_offset=(0.1,) * 9,
    )
    log, _ = joint_log(TABLE, mapping, MODEL)
    np.testing.assert_allclose(log.tau[1], 2.0 * np.array(factors) + 0.5)
    np.testing.assert_allclose(log.q, 1.1)
    np.testing.assert_allclose(log.v, 1.0)


def test_lists_of_another_length_and_unknown_joints_are_refused() -> None:
    with pytest.raises(ScenarioError, match="tau_joint_scale: 2 numbers"):
        joint_log(TABLE, ColumnMapping(tau_joint_scale=(1.0, 2.0)), MODEL)
    with pytest.raises(UnknownNameError, match="panda_joint77"):
        joint_log(TABLE, ColumnMapping(unmeasured=("panda_joint77",)), MODEL)
