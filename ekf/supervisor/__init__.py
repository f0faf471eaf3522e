"""What the filter may learn when, and how far its estimate is to be trusted."""
