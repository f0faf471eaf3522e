"""Whole-body MPC with response-based costs for humanoids that hold heavy things.

Importing this package sets the environment of the thread pools and refuses a pair of
pin and crocoddyl wheels that is known to crash.
"""

from wbmpc.runtime import check_versions, set_thread_environment

set_thread_environment()
check_versions()
