"""Explicit quantisation of linalg text: what carries integers, under whose scales (docs/quantisation.md)."""
