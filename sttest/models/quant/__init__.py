"""Quantization of decoder blocks: schemes, integer arithmetic, golden blocks (docs/explanation/quantization.md)."""
