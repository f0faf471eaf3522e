"""The operator's page and the server that connects it with an operator's session."""

from teleop.web.addresses import machine_names
from teleop.web.certificate import Identity, config_folder, server_identity
from teleop.web.errors import WebError
from teleop.web.figure import robot_figure
from teleop.web.holder import OperatorSession
from teleop.web.server import DEFAULT_PORT, ServerAddress, serve

__all__ = [
    "DEFAULT_PORT",
    "Identity",
    "OperatorSession",
    "ServerAddress",
    "WebError",
    "config_folder",
    "machine_names",
    "robot_figure",
    "serve",
    "server_identity",
]
