"""The common part of all response residuals.

A response residual asks a tracking error e to follow a chosen closed-loop response
instead of being small now (Ubbink et al., RA-L 2024; arXiv:2610.22176, section III-B):

    first order    r = e' + A e
    second order   r = e'' + Kd e' + Kp e

With the highest derivative in r, every residual depends on the torques through the
accelerations, so that its gains set a bandwidth and its weight a priority. The
*literal* reading (Table I as printed) leaves the highest derivative out.

At the terminal node there are no torques, hence no accelerations: the highest
derivative is left out there.

These Python residuals are the readable specification of the cost terms, and what to
copy for a new one.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import crocoddyl
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

Array = NDArray[np.float64]


class ResponseResidual(crocoddyl.ResidualModelAbstract):
    """A residual with its own rigid-body workspace and access to accelerations.

    Subclasses implement `_value(data, q, v, a)` -> (nr,) and
    `_derivatives(data, q, v, a)` -> (dr/dq, dr/dv, dr/da), each (nr, nv), both with
    a = None where the highest derivative is left out. The chain rule through the
    dynamics, a = a(x, u), is applied here:

        Rx = [dr/dq, dr/dv] + dr/da da/dx,    Ru = dr/da da/du.
    """

    def __init__(
        self, state: crocoddyl.StateMultibody, nr: int, nu: int, literal: bool
    ) -> None:
        """Declare the size.

        Args:
            state: Multibody state; its Pinocchio model is read at every call, so
                inertias changed in place take effect at the next one.
            nr: Rows of the residual.
            nu: Joint torques.
            literal: Leave the highest derivative out.
        """
        super().__init__(state, nr, nu, True, True, not literal)
        self.model = state.pinocchio
        self.literal = literal

    def createData(self, collector: crocoddyl.DataCollectorAbstract) -> _Data:  # noqa: N802
        """Allocate the residual's data (called by Crocoddyl)."""
        return _Data(self, collector)

    def calc(self, data: _Data, x: Array, u: Array | None = None) -> None:
        """Residual at (x, u), or at a terminal x."""
        q, v = x[: self.model.nq], x[self.model.nq :]
        with _told_in_time():
            data.r[:] = self._value(data.rigid_body, q, v, self._acceleration(data, u))

    def calcDiff(self, data: _Data, x: Array, u: Array | None = None) -> None:  # noqa: N802
        """Jacobians at (x, u), or at a terminal x."""
        q, v = x[: self.model.nq], x[self.model.nq :]
        with _told_in_time():
            self._write_jacobians(data, q, v, self._acceleration(data, u))

    def _write_jacobians(
        self, data: _Data, q: Array, v: Array, a: Array | None
    ) -> None:
        dr_dq, dr_dv, dr_da = self._derivatives(data.rigid_body, q, v, a)
        nv = self.model.nv
        # A matrix of a single row arrives as a vector.
        rx, ru = np.atleast_2d(data.Rx), np.atleast_2d(data.Ru)
        rx[:, :nv] = dr_dq
        rx[:, nv:] = dr_dv
        if a is not None:
            joint = data.shared.joint
            rx += dr_da @ joint.da_dx
            ru[:] = dr_da @ joint.da_du

    def _acceleration(self, data: _Data, u: Array | None) -> Array | None:
        if u is None or self.literal:
            return None
        return np.array(data.shared.joint.a)

    def _value(self, data: pin.Data, q: Array, v: Array, a: Array | None) -> Array:
        raise NotImplementedError

    def _derivatives(
        self, data: pin.Data, q: Array, v: Array, a: Array | None
    ) -> tuple[Array, Array, Array]:
        raise NotImplementedError


@contextmanager
def _told_in_time() -> Iterator[None]:
    """Print an error before it reaches native code, which ends the process at once."""
    try:
        yield
    except Exception:
        traceback.print_exc()
        raise


class _Data(crocoddyl.ResidualDataAbstract):
    """Crocoddyl's residual data with a private Pinocchio workspace.

    The workspace is private because the solver's own is filled differently by its
    value and derivative passes, and not at all at the terminal node.
    """

    def __init__(
        self, model: ResponseResidual, collector: crocoddyl.DataCollectorAbstract
    ) -> None:
        super().__init__(model, collector)
        self.rigid_body = model.model.createData()
