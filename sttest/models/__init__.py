"""Decoder blocks in plain PyTorch, and their linalg text.

Configurations, host tables and the shipped texts need no PyTorch; blocks,
weights and lowering import it when they are used.
"""
