"""What sttest itself offers, a module per door: names alone, nothing is imported.

A result depends on the doors that its program asks, and not on a verb or an experiment more.
"""
