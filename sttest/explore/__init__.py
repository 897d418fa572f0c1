"""Searches the design spaces of one block: knobs to figures, bounds, seeds, Pareto sets (docs/explanation/explore.md)."""
