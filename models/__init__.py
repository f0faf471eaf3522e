"""Robot descriptions: a URDF and one typed settings file for each robot."""

from models.catalogue import robot_names, settings_path
from models.lookup import find_urdf
from models.settings import BodySettings

__all__ = ["BodySettings", "find_urdf", "robot_names", "settings_path"]
