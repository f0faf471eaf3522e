r"""Feedback with the solver's own gains between solves.

\[ \tau = \tau^*(t) - K_0 \, (x \ominus x^*(t)) \]

K_0 is the gain of the plan's first node: the torque the next solve would ask for, to
first order, without solving (Diehl, Bock, Schloeder 2005, the feedback phase of a
real-time iteration).
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.control.plan import Plan


def state_at(model: pin.Model, plan: Plan, time_s: float) -> tuple[Array, Array]:
    """Configuration and velocity of a plan at a time, linear between nodes."""
    position = (time_s - plan.time_s) / plan.node_dt_s
    position = min(max(position, 0.0), float(len(plan.tau_Nm)))
    k = min(int(position + 1e-9), len(plan.tau_Nm) - 1)
    share = position - k
    q = pin.interpolate(model, plan.q[k], plan.q[k + 1], share)
    return q, (1.0 - share) * plan.v[k] + share * plan.v[k + 1]


def feedback_torque(
    model: pin.Model, plan: Plan, time_s: float, q: Array, v: Array
) -> Array:
    """Correction of the plan's torques (nu,) for a measured state.

    Args:
        model: The controller's model.
        plan: A plan with a gain.
        time_s: Time of the measurement.
        q: (nq,) measured configuration.
        v: (nv,) measured velocity.
    """
    assert plan.gain is not None
    q_plan, v_plan = state_at(model, plan, time_s)
    error = np.concatenate([pin.difference(model, q_plan, q), v - v_plan])
    torque: Array = -plan.gain @ error
    return torque
