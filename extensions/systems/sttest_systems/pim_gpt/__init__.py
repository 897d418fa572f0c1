"""Decoding on memory that computes: products in DRAM banks, everything else in a small chip, as actors of a graph."""
