"""Searches the design space of one block: options, bounds, seeds, Pareto sets (docs/what-if/explore.md)."""
