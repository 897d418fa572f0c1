"""Attention alone as cascades of passes over the positions (FLAT, FuseMax)."""
