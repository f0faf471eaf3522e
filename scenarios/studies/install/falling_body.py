"""A body that falls freely in MuJoCo, whose height is known; run with `python -m`.

A package of that name which is something else has no such body.
"""

from __future__ import annotations

from typing import Any

import mujoco

GRAVITY_M_PER_S2 = 9.81
STEP_S = 0.001
STEPS = 500
TOLERANCE_M = 1e-9
_BODY = (
    f'<mujoco><option timestep="{STEP_S}" gravity="0 0 -{GRAVITY_M_PER_S2}"/>'
    '<worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
)


def fallen_height_m() -> float:
    """Height after the steps of the semi-implicit Euler method, from 0."""
    model: Any = mujoco.MjModel.from_xml_string(_BODY)
    data: Any = mujoco.MjData(model)
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    return float(data.qpos[2])


def expected_height_m() -> float:
    """The same in closed form: -g dt^2 n (n + 1) / 2."""
    return -GRAVITY_M_PER_S2 * STEP_S**2 * STEPS * (STEPS + 1) / 2


if __name__ == "__main__":
    off = abs(fallen_height_m() - expected_height_m())
    if not off < TOLERANCE_M:
        raise SystemExit(f"a falling body is off by {off:.3g} m")
    print(f"a body falls as it should, MuJoCo {mujoco.__version__}")
