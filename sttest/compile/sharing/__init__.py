"""Who takes turns on what hardware: engines, layers, queues of parameters."""
