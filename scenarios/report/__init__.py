"""What a user sees of runs: tables, pictures, pages."""
