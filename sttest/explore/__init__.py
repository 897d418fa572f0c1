"""Searches the design space of one block: knobs, bounds, seeds, Pareto sets (docs/what-if/explore.md)."""
