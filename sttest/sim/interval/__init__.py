"""Deadlocks where the stages of accesses are not known."""
