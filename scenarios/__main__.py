"""The script `wbmpc`, and `python -m scenarios`: imports nothing that takes time.

So that there is no moment at which Ctrl-C is a traceback.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from scenarios.exit_codes import EXIT_INTERRUPTED
from scenarios.interrupts import ending_at_once


def entry_point() -> NoReturn:
    """Run a command and end with its exit code."""
    # MuJoCo draws nothing here: it need not load a window library, which would start a
    # process of its own, with its own traceback.
    os.environ.setdefault("MUJOCO_GL", "disable")
    try:
        with ending_at_once():
            from scenarios.cli import main_of_process
        code = main_of_process()
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    sys.exit(code)


if __name__ == "__main__":
    entry_point()
