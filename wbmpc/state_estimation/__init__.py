"""Pose and velocity of the base from what a legged robot measures."""

from wbmpc.state_estimation.contact_detection import ContactDetector
from wbmpc.state_estimation.contact_ekf import ContactEkf
from wbmpc.state_estimation.fixed_feet import FixedFeetFilter
from wbmpc.state_estimation.interface import (
    BaseEstimate,
    BaseEstimator,
    measurement_from,
)
from wbmpc.state_estimation.leg_kinematics import LegKinematics

__all__ = [
    "BaseEstimate",
    "BaseEstimator",
    "ContactDetector",
    "ContactEkf",
    "FixedFeetFilter",
    "LegKinematics",
    "measurement_from",
]
