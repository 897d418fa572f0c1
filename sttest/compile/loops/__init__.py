"""Tiles and orders of loops: which an op gets, and what streams follow."""
