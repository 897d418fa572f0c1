"""Hostile files: valid seeds, what is done to them, and what a reader or an engine makes of the result."""
