"""FIFO depths: what the timed graph says of when each is written and read."""
