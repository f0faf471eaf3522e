r"""Which gains of the contacts the horizon can integrate.

A contact is held by a = -kp e - kd v (Baumgarte), and integrated over a node of h by
v' = v + h a, e' = e + h v'. The characteristic polynomial of that step,
$\lambda^2 - (2 - h k_d - h^2 k_p) \lambda + 1 - h k_d$, has its roots inside the unit
circle for $2 h k_d + h^2 k_p < 4$ (Jury); beyond, feet shake harder from node to node.
"""

from __future__ import annotations

from wbmpc.errors import SettingError
from wbmpc.settings import MpcSettings

LIMIT = 4.0


def growth(mpc: MpcSettings) -> float:
    """2 h kd + h^2 kp, which must be below `LIMIT`."""
    position, velocity = mpc.baumgarte
    return 2.0 * mpc.node_dt_s * velocity + mpc.node_dt_s**2 * position


def check_contact_gains(mpc: MpcSettings) -> None:
    """Refuse gains that nodes of this length make unstable.

    Raises:
        SettingError: They do.
    """
    found = growth(mpc)
    if found >= LIMIT:
        step, most = mpc.node_dt_s, LIMIT / (2.0 * mpc.node_dt_s)
        rule = (
            f"unstable at nodes of {step:g} s: 2 h kd + h^2 kp is {found:.3g}, must "
            f"be below {LIMIT:g} (with kp = 0, kd below {most:g} 1/s)"
        )
        raise SettingError("mpc.baumgarte", mpc.baumgarte, rule)
