"""`python -m wbmpc`, the same as the script `wbmpc`."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points

if __name__ == "__main__":
    found = list(entry_points(group="console_scripts", name="wbmpc"))
    if not found:
        sys.exit("wbmpc: is not installed (pip install .), only on Python's path")
    found[0].load()()
