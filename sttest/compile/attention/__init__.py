"""Attention in linalg text: where it is, and how it is written chunk by chunk."""
