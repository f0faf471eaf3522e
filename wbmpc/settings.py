"""Typed settings of a robot under control: its body, its MPC, its estimator.

Reading them needs neither crocoddyl nor pinocchio.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from models.catalogue import settings_path, urdf_path
from models.dimensions import KILOGRAM, METRE, NEWTON, NEWTON_METRE
from models.overrides import override
from models.setting_types import (
    Count,
    NonNegative,
    Positive,
    Settings,
    ThreadCount,
)
from models.settings import BodySettings
from models.toml_file import read_struct
from wbmpc.ocp.cost import Cost
from wbmpc.ocp.terms import find_terms

if TYPE_CHECKING:

    class CostSettings(Settings, frozen=True, kw_only=True):
        """A cost term per field, as found in `wbmpc.ocp.terms`."""

        def __getattr__(self, term: str) -> Cost:
            """Settings of one term."""

else:

    def _field(name: str, kind: type[Cost]) -> tuple:
        """A term may be left out where all of its keys have defaults."""
        required = any(field.required for field in msgspec.structs.fields(kind))
        return (name, kind) if required else (name, kind, kind())

    CostSettings = msgspec.defstruct(
        "CostSettings",
        [_field(name, kind) for name, kind in find_terms().items()],
        bases=(Settings,),
        namespace={"__doc__": "The cost terms by name."},
        module=__name__,
        frozen=True,
        kw_only=True,
    )


class MpcSettings(Settings, frozen=True, kw_only=True):
    """The optimal control problem and how it is solved."""

    why = "Horizon and rate of the paper."
    comments = {
        "nodes": "of the horizon",
        "node_dt_s": "between nodes [s]",
        "tick_dt_s": "between solves [s]",
    }
    always_written = tuple(comments)

    nodes: Count = 30
    """Horizon length K."""
    node_dt_s: Annotated[float, msgspec.Meta(ge=1e-3, le=0.5)] = 0.02
    tick_dt_s: Annotated[float, msgspec.Meta(ge=1e-3, le=0.1)] = 0.01
    iterations: Count = 1
    """FDDP iterations per tick."""
    threads: ThreadCount = 1
    """Threads of a solve; more than one makes runs differ in the last bits."""
    baumgarte: tuple[NonNegative, NonNegative] = (0.0, 20.0)
    """Position and velocity gain of the 6D contacts [1/s^2, 1/s]."""
    realtime_iteration: bool = False
    """Solve at the state predicted for the next tick and close the gap to the measured
    state with the solver's gains, at the low level's rate. Off: window washing gains
    margin at the edge of the feet, but tracks its references one tick later."""
    delay_ticks: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Ticks from a measurement until its plan is followed: the time a solve takes, as
    lock-step runs see it. A real-time run has its own delay."""
    literal_responses: bool = False
    """Leave the highest derivative out of the response residuals, as Table I prints."""
    regularization: Positive = 1e-9
    """Initial and smallest FDDP regularisation."""
    disabled: tuple[str, ...] = ()
    """Cost terms to leave out, by name."""
    costs: CostSettings


class EstimatorSettings(Settings, frozen=True, kw_only=True):
    """Inertial EKF, Table III of the paper; variances per 10 ms tick."""

    why = "Variances per 10 ms tick: the paper's, scaled by what they are of."
    comments = {
        "process_alpha": "of ln(mass) / 2, per tick",
        "process_d": "of the logarithmic stretches, per tick",
        "process_s": "of the shears, per tick",
        "process_t": "of the centre of mass [m^2], per tick",
        "prior_d": "of the fictitious measurement of d",
        "prior_s": "of the fictitious measurement of s",
        "prior_alpha": "used by the prior `all` only",
        "prior_t": "used by the prior `all` only [m^2]",
        "torque_base_force": "force rows of the base [N^2]",
        "torque_base_moment": "moment rows of the base [Nm^2]",
        "torque_spine": "[Nm^2]",
        "torque_arms": "[Nm^2]",
        "torque_legs": "[Nm^2]",
        "initial_variance": "of every parameter",
        "cutoff_hz": "low pass of q, v, acceleration and torque alike [Hz]",
        "max_mass_rate_kg_per_s": "of the mass the controller is told [kg/s]",
        "max_moment_rate_kgm_per_s": "of its first moment [kg m/s]",
        "max_inertia_rate_kgm2_per_s": "of its inertia [kg m^2/s]",
    }
    always_written = tuple(comments)
    # Rates are not scaled by time: the ticks of all robots are alike.
    dimensions = {
        "process_t": METRE**2,
        "torque_base_force": NEWTON**2,
        "torque_base_moment": NEWTON_METRE**2,
        "torque_spine": NEWTON_METRE**2,
        "torque_arms": NEWTON_METRE**2,
        "torque_legs": NEWTON_METRE**2,
        "max_mass_rate_kg_per_s": KILOGRAM,
        "max_moment_rate_kgm_per_s": KILOGRAM * METRE,
        "max_inertia_rate_kgm2_per_s": KILOGRAM * METRE**2,
    }

    process_alpha: NonNegative = 1e-3
    process_d: NonNegative = 1e-2
    process_s: NonNegative = 1e-2
    process_t: NonNegative = 1e-2
    prior_d: Positive = 1e-2
    prior_s: Positive = 1e-2
    prior_alpha: Positive = 1e2
    """Used by the `all` regime only; weak, so that it only stops slow drift."""
    prior_t: Positive = 1e2
    """Used by the `all` regime only."""
    torque_base_force: Positive = 1e3
    """Force rows of the floating base [N^2]."""
    torque_base_moment: Positive = 1e2
    """Moment rows of the floating base [Nm^2]. Table III has 1e3 here too; at 1e2, as
    for the joints, the centre of mass stays in its band after a step load (1.5 s sooner
    on window washing), because the base feels where the load is."""
    torque_spine: Positive = 1e3
    torque_arms: Positive = 1e2
    torque_legs: Positive = 1e2
    initial_variance: Positive = 1e-2
    cutoff_hz: Positive = 20.0
    """Low pass of q, v, vdot and tau alike."""
    max_mass_rate_kg_per_s: Positive = 250.0
    """Of the published mass. Fast, because a controller that believes in a load which
    is no longer there is far too stiff for the bare arm: at 40 kg/s the robot falls
    when 5 kg vanish at once."""
    max_moment_rate_kgm_per_s: Positive = 100.0
    max_inertia_rate_kgm2_per_s: Positive = 50.0
    supervisor: dict[str, Any] = {}
    """Numbers of the supervised filter that shall not be those of a robot of this size,
    by the names of ekf's `SupervisorSettings`; checked where the filter is built."""


class RobotSettings(BodySettings, frozen=True, kw_only=True):
    """One robot: names, home pose, gains, weights. The URDF holds the rest."""

    mpc: MpcSettings
    estimator: EstimatorSettings = EstimatorSettings()


def load_settings(robot: str, overrides: Sequence[str] = ()) -> RobotSettings:
    """Read a robot's settings.

    Args:
        robot: Name of a shipped robot or path of a settings file.
        overrides: `key.path=value` assignments, the value in TOML syntax, applied in
            order; only keys that the settings know are taken.

    Raises:
        SettingsError: Bad TOML, unknown key, or a value of the wrong type.
        UnknownNameError: Unknown robot.
    """
    path = settings_path(robot)
    settings = read_struct(path, RobotSettings)
    for assignment in overrides:
        settings = override(settings, assignment)
    return msgspec.structs.replace(settings, urdf=str(urdf_path(path, settings.urdf)))
