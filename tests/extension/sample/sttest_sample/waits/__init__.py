"""A study: what a chain of processes waits for by the depth of its FIFOs."""
