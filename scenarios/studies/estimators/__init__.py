"""Every payload estimator on the same streams, and any of them on a recorded log."""
