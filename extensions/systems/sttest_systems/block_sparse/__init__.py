"""Attention of a decode step to the blocks of its cache that a router chose (MoBA)."""
