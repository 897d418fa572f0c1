"""Weights that a released checkpoint has as integers already, read to the same integers; a module per format."""

QUANTIZATION = "quantization_config"
"""The field of a ``config.json`` that says how."""
