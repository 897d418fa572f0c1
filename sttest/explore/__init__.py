"""Searches the design space of one block: knobs, bounds, seeds, Pareto sets (docs/explanation/explore.md)."""
