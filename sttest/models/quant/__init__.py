"""Quantization of decoder blocks: schemes, integer arithmetic, golden blocks (docs/how-it-works/quantization.md)."""

DEFAULT_SCHEME = "w8a8"
"""What everything is compiled and evaluated in unless another one is asked for: it loses 3.5 % (results/quality)."""
