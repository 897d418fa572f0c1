"""Memories as their readers measure them: benchmarks as timed graphs, published rows, and what keeps a kernel slow."""
