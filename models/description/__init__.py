"""Robot files: read, checked and repaired."""
