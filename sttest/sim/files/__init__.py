"""Timed graphs from files, and to them."""
