"""Puts this folder's helpers within reach of the tests in the folders below."""
