"""Checks results without an engine."""
