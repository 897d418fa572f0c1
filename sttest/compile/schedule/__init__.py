"""What the hardware of a task does, step by step: one account that the timed graph, the C++ and the resources read."""
