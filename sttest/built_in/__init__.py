"""What sttest itself offers at its doors, as an extension does: names alone, nothing is imported.

A module per door: a result depends on those whose doors its program asks, and not on a verb or an experiment more.
"""
