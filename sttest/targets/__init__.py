"""Backends run what a design was turned into: each finds its tool, drives it, and hands back what it saw."""
