"""Everything a run leaves behind: arrays, logs, folders, versions."""
