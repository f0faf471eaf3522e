"""Links at once against links one by one."""

import numpy as np

from ekf.inertia.deviation import DeviationModel
from ekf.inertia.deviation_stack import DeviationStack


def _stack(biped):
    names = ("LEFT_ELBOW_Y", "RIGHT_ELBOW_Y", "SPINE_Z")
    inertias = [biped.inertias[biped.getJointId(name)] for name in names]
    models = [DeviationModel(i.toDynamicParameters()) for i in inertias]
    return models, DeviationStack(models)


def test_equals_one_link_after_the_other(biped, rng):
    models, stack = _stack(biped)
    for scale in (1e-3, 0.3, 2.0):
        theta = scale * rng.normal(size=(3, 10))
        parameters, jacobians = stack.linearise(theta)
        for model, own, pi, jacobian in zip(
            models, theta, parameters, jacobians, strict=True
        ):
            size = np.abs(model.parameters(own)).max()
            assert np.allclose(pi, model.parameters(own), rtol=0, atol=1e-14 * size)
            expected = model.jacobian(own)
            atol = 1e-13 * np.abs(expected).max()
            assert np.allclose(jacobian, expected, rtol=0, atol=atol)


def test_zero_is_nominal_to_the_last_bit(biped):
    models, stack = _stack(biped)
    parameters, _ = stack.linearise(np.zeros((3, 10)))
    expected = np.stack([model.nominal_parameters for model in models])
    assert np.array_equal(parameters, expected)
