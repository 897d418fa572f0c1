"""What a timed graph must be before an engine takes it."""
