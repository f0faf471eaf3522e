"""How long everything takes, and how much that is against other ways to do it."""
