"""`python -m scenarios` is the command `wbmpc`."""

from scenarios.cli import entry_point

if __name__ == "__main__":
    entry_point()
