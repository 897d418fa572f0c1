"""Duplex and the SN40L: two processors, or two memories, that a decode step is placed on."""
