"""Regressor identities that the filter's measurement rests on."""

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import Motion, home, statics

from ekf.filter.torque_measurement import TorqueMeasurement

FEET = ("LEFT_SOLE", "RIGHT_SOLE")
LINKS = ("LEFT_ELBOW_Y", "RIGHT_ELBOW_Y")


def _measurement(model, links, feet=()):
    joints = [model.getJointId(name) for name in links]
    return TorqueMeasurement(model, joints, [model.getFrameId(foot) for foot in feet])


def _random_state(model, rng):
    q = pin.integrate(model, home(model), 0.5 * rng.normal(size=model.nv))
    return q, rng.normal(size=model.nv), rng.normal(size=model.nv)


def _parameters(model, links):
    return np.concatenate(
        [model.inertias[model.getJointId(n)].toDynamicParameters() for n in links]
    )


def test_full_regressor_plus_armature_is_rnea(biped, rng):
    q, v, a = _random_state(biped, rng)
    data = biped.createData()
    regressor = pin.computeJointTorqueRegressor(biped, data, q, v, a)
    torque = regressor @ _parameters(biped, list(biped.names)[1:])
    rnea = pin.rnea(biped, data, q, v, a)
    assert np.allclose(torque + biped.armature * a, rnea, atol=1e-10)
    assert np.abs(torque - rnea).max() > 1e-3  # RNEA does add the armature


def test_blocks_are_those_of_pinocchios_full_regressor(biped, rng):
    measurement = _measurement(biped, LINKS)
    for _ in range(5):
        q, v, a = _random_state(biped, rng)
        _, ours = measurement.evaluate(q, v, a, np.zeros(21), np.empty((0, 6)))
        full = pin.computeJointTorqueRegressor(biped, biped.createData(), q, v, a)
        columns = [full[:, 10 * (j - 1) : 10 * j] for j in map(biped.getJointId, LINKS)]
        assert np.allclose(ours, np.hstack(columns), atol=1e-11)


def test_nominal_plus_estimated_is_full_inverse_dynamics(biped, rng):
    measurement = _measurement(biped, LINKS)
    pi = _parameters(biped, LINKS)
    for _ in range(5):
        q, v, a = _random_state(biped, rng)
        without, regressor = measurement.evaluate(
            q, v, a, np.zeros(21), np.empty((0, 6))
        )
        full = pin.rnea(biped, biped.createData(), q, v, a)
        assert np.allclose(-without + regressor @ pi, full, atol=1e-10)


def test_residual_is_explained_by_the_links_when_contacts_carry_the_robot(biped):
    motion = Motion(biped, home(biped), 0.3, seed=1)
    measurement = _measurement(biped, LINKS, FEET)
    q, v, a = motion(0.7)
    tau, wrenches = statics(biped, FEET, q, v, a)
    residual, regressor = measurement.evaluate(q, v, a, tau, wrenches)
    pi = _parameters(biped, LINKS)
    assert np.allclose(residual, regressor @ pi, atol=1e-9)
    assert np.abs(residual).max() > 1.0
    residual, _ = measurement.evaluate(q, v, a, tau, np.zeros((2, 6)))
    assert np.abs(residual - regressor @ pi).max() > 100.0


def test_callers_model_is_not_touched(biped):
    before = biped.copy()
    measurement = _measurement(biped, LINKS)
    assert biped == before
    joint = measurement.model.getJointId(LINKS[0])
    assert measurement.model.inertias[joint].mass == 0.0


def test_one_wrench_per_foot(biped, rng):
    q, v, a = _random_state(biped, rng)
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        _measurement(biped, LINKS, FEET).evaluate(
            q, v, a, np.zeros(21), np.ones((1, 6))
        )
