"""Reads the public sources of designs with published reports: what a report's function is made of."""
