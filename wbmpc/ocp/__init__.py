"""The optimal control problem: one file a cost term."""
