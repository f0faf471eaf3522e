"""Exit codes of the program; exceptions carry theirs (`ModelsError.exit_code`)."""

from __future__ import annotations

EXIT_OK = 0
EXIT_BAD_END = 1
"""The run ended badly: the robot fell, a gate refused, a file could not be written."""
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
