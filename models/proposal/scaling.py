"""Gains, weights and noise of a robot of another size.

Dynamic similarity under the same gravity: with lengths times l and masses times m,
times go with sqrt(l), accelerations with 1, forces with m, torques with m l, angular
accelerations with 1 / l. A weight is scaled so that its cost of similar motions is the
same; a variance goes with the square of what it is of.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import msgspec

from models.settings import (
    CostSettings,
    EstimatorSettings,
    JointGains,
    LowLevelSettings,
    SecondOrderCost,
)

SHIPPED_MASS_KG = 66.9
"""Of the robot whose settings are scaled, `alexander`."""
SHIPPED_COM_HEIGHT_M = 0.795

_replace = msgspec.structs.replace


@dataclass(frozen=True, kw_only=True)
class Scale:
    """A robot's size relative to the shipped one.

    Attributes:
        length: Ratio of the heights of the centres of mass at home.
        mass: Ratio of the masses.
    """

    length: float
    mass: float

    @classmethod
    def of(cls, *, mass_kg: float, com_height_m: float) -> Scale:
        """Of a robot that stands at home."""
        return cls(
            length=com_height_m / SHIPPED_COM_HEIGHT_M, mass=mass_kg / SHIPPED_MASS_KG
        )

    @property
    def torque(self) -> float:
        """Ratio of torques in similar motions."""
        return self.mass * self.length


def scaled_costs(costs: CostSettings, scale: Scale) -> CostSettings:
    """Cost terms for a robot of another size."""
    angular, moment = scale.length**2, scale.torque**-2
    force = scale.mass**-2
    momentum = costs.angular_momentum
    cone = costs.wrench_cone
    return _replace(
        costs,
        upper_body_tracking=_response(costs.upper_body_tracking, scale, angular),
        center_of_mass=_response(costs.center_of_mass, scale, 1.0),
        pelvis_orientation=_response(costs.pelvis_orientation, scale, angular),
        foot_placement=_response(costs.foot_placement, scale, 1.0),
        angular_momentum=_replace(
            momentum,
            weight=rounded(momentum.weight * moment),
            gain=_all(momentum.gain, 1.0 / sqrt(scale.length)),
        ),
        acceleration=_weighted(costs.acceleration, angular),
        torque=_weighted(costs.torque, moment),
        wrench=_weighted(costs.wrench, force),
        center_of_pressure=_weighted(costs.center_of_pressure, moment),
        wrench_cone=_replace(
            cone,
            weight=rounded(cone.weight * force),
            margin_N=rounded(cone.margin_N * scale.mass),
        ),
    )


def scaled_low_level(gains: LowLevelSettings, scale: Scale) -> LowLevelSettings:
    """Joint gains by group: a stiffness is a torque, damping a torque times a time."""

    def group(name: str) -> JointGains:
        shipped: JointGains = getattr(gains, name)
        return JointGains(
            kp_Nm_per_rad=rounded(shipped.kp_Nm_per_rad * scale.torque),
            kd_Nms_per_rad=rounded(
                shipped.kd_Nms_per_rad * scale.torque * sqrt(scale.length)
            ),
        )

    return LowLevelSettings(
        legs=group("legs"),
        spine=group("spine"),
        arms=group("arms"),
        neck=group("neck"),
        locked=group("locked"),
    )


def scaled_estimator(settings: EstimatorSettings, scale: Scale) -> EstimatorSettings:
    """Noise and rates of the estimator."""
    torque, length = scale.torque**2, scale.length**2
    factors = {
        "process_t": length,
        "torque_base_force": scale.mass**2,
        "torque_base_moment": torque,
        "torque_spine": torque,
        "torque_arms": torque,
        "torque_legs": torque,
        "max_mass_rate_kg_per_s": scale.mass,
        "max_moment_rate_kgm_per_s": scale.torque,
        "max_inertia_rate_kgm2_per_s": scale.mass * length,
    }
    changed = {
        name: rounded(getattr(settings, name) * f) for name, f in factors.items()
    }
    return _replace(settings, **changed)


def rounded(value: float, digits: int = 3) -> float:
    """To a few significant digits: a proposal is not more exact."""
    return float(f"{value:.{digits}g}")


def _response(cost: SecondOrderCost, scale: Scale, weight: float) -> SecondOrderCost:
    return _replace(
        cost,
        weight=rounded(cost.weight * weight),
        kp=_all(cost.kp, 1.0 / scale.length),
        kd=_all(cost.kd, 1.0 / sqrt(scale.length)),
    )


def _weighted(cost: Any, factor: float) -> Any:
    return _replace(cost, weight=rounded(cost.weight * factor))


def _all(values: tuple[float, ...], factor: float) -> tuple[float, ...]:
    return tuple(rounded(value * factor) for value in values)
