"""Robot descriptions: a URDF and one typed settings file a robot."""

from models.catalogue import load_settings, robot_names
from models.settings import RobotSettings

__all__ = ["RobotSettings", "load_settings", "robot_names"]
