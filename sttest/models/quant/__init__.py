"""Quantization of decoder blocks: schemes, integer arithmetic, golden blocks (docs/how-it-works/quantization.md)."""
