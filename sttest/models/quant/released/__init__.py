"""Weights that a released checkpoint has as integers already, read to the same integers; a module per format."""
