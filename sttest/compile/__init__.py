"""From linalg text to a design package: the dialects, the passes, the design spaces.  Never imports torch."""
