"""Entropy-coded weights: designs that read them through decoders, and what codes save."""
