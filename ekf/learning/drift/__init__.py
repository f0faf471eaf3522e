"""Detectors of a change in a stream of prediction errors."""

from ekf.learning.drift.cusum import CusumDetector
from ekf.learning.drift.hampel import HampelDetector
from ekf.learning.drift.innovation import InnovationDetector

__all__ = ["CusumDetector", "HampelDetector", "InnovationDetector"]
