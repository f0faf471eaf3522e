"""Named experiments on a simulated humanoid, and everything a user sees of them."""
