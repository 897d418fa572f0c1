"""Errors, bounded readers, atomic writers, tables and results: what every room stands on."""
