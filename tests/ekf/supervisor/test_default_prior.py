"""The prior a filter has when nobody chooses one."""

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import statics

from ekf import FictitiousPrior, InertialEKF, PriorRegime, SupervisedEKF
from ekf.filter.filter_setup import default_prior

PLACE_M = (0.0, 0.0, 0.1)
CENTRE = np.array([0.0, 1.0, 0.0, 0.8, 0.0, 0.5])
AMPLITUDE, RATE = np.linspace(0.3, 0.6, 6), np.linspace(2.0, 5.0, 6)
FEET = ("LEFT_SOLE", "RIGHT_SOLE")
LINKS = ("LEFT_ELBOW_Y", "RIGHT_ELBOW_Y")


def _report(attachments_m=None, **settings):
    """Pinocchio's sample arm after 3 s with 2 kg at its last link."""
    model = pin.buildSampleModelManipulator()
    loaded = model.copy()
    payload = pin.Inertia(2.0, np.array(PLACE_M), np.zeros((3, 3)))
    loaded.inertias[6] = loaded.inertias[6] + payload
    ekf = InertialEKF(model, [model.names[6]], **settings)
    supervised = SupervisedEKF(ekf, attachments_m=attachments_m)
    for tick in range(1, 401):
        time_s = 0.01 * tick
        q = CENTRE + AMPLITUDE * np.sin(RATE * time_s)
        v = AMPLITUDE * RATE * np.cos(RATE * time_s)
        a = -AMPLITUDE * RATE**2 * np.sin(RATE * time_s)
        plant = loaded if time_s > 1.0 else model
        tau = pin.rnea(plant, plant.createData(), q, v, a)
        result = supervised.update(time_s, q, v, a, tau)
    return result.reports[0]


@pytest.mark.parametrize("place", [None, [PLACE_M]], ids=["anywhere", "at the gripper"])
@pytest.mark.parametrize("variance", [None, 30.0, 1.0])
def test_a_fixed_arm_tells_its_2_kg_with_nothing_chosen(variance, place):
    report = _report(place, measurement_variance=variance)
    low, high = report.interval_kg
    assert report.mass_kg == pytest.approx(2.0, abs=0.01)
    assert low < 2.0 < high
    assert high - low < 0.2
    assert np.allclose(report.com_m, PLACE_M, atol=0.002)


def test_a_prior_that_was_chosen_stays():
    """The paper's takes the shape of the bare link for that of the load."""
    assert _report(prior=FictitiousPrior()).mass_kg < 1.2
    free = _report(prior=FictitiousPrior(regime=PriorRegime.NONE))
    assert free.mass_kg == _report().mass_kg


def test_a_robot_on_a_free_flyer_has_the_prior_of_the_paper(biped, biped_motion, arm):
    assert default_prior(biped) == FictitiousPrior()
    assert default_prior(arm).regime is PriorRegime.NONE
    filters = [
        InertialEKF(biped, LINKS, feet=FEET, prior=prior)
        for prior in (None, FictitiousPrior())
    ]
    for tick in range(1, 20):
        q, v, a = biped_motion(0.01 * tick)
        tau, wrenches = statics(biped, FEET, q, v, a)
        for ekf in filters:
            ekf.update(q, v, a, 1.1 * tau, wrenches, dt_s=0.01)
    default, paper = (ekf.estimate for ekf in filters)
    assert default.ok
    assert np.abs(default.theta).max() > 0.0
    np.testing.assert_array_equal(default.theta, paper.theta)
    np.testing.assert_array_equal(default.covariance, paper.covariance)
