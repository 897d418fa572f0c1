"""Explicit quantization of linalg text: integers and their scales (docs/how-it-works/quantization.md)."""
