"""A sample of everything that can be added to sttest."""
