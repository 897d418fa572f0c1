"""Designs of other tools as timed graphs: one module per format, all of them listed in ``formats``."""
