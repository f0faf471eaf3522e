"""`python -m scenarios`, the same as the script `wbmpc`."""

from __future__ import annotations

from scenarios.launch import entry_point

__all__ = ["entry_point"]

if __name__ == "__main__":
    entry_point()
