"""Experts of a mixture: which are chosen, which of them are in fast memory already, and what the others cost."""
