"""Quantisation of decoder blocks: schemes, integer arithmetic, fake-quantised blocks (docs/explanation/quantization.md)."""
