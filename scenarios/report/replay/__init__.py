"""The page that replays a run: its parts, and the data it shows."""
