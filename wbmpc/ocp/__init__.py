"""The optimal control problem; its cost terms are one file each, in `terms`."""
