"""Ablations: what each way of scheduling a block is worth by itself, beside the figures that others published."""
