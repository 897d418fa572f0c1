"""Explicit quantization of linalg text: integers and their scales (docs/explanation/quantization.md)."""
