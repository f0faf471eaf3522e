"""The commands of `wbmpc`, one file each."""
