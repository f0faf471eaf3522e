"""Runs as a user sees them: figures, tables, pictures, pages."""
