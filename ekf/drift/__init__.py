"""Detectors of a change in a stream of prediction errors."""

from ekf.drift.cusum import CusumDetector
from ekf.drift.hampel import HampelDetector
from ekf.drift.innovation import InnovationDetector

__all__ = ["CusumDetector", "HampelDetector", "InnovationDetector"]
