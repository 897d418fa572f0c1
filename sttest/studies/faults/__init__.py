"""Which single bit flips of a design reach its results: campaigns under Verilator, and what protection takes away."""
