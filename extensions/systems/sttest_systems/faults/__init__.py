"""Single bit flips in a design's hardware: which of them reach its results, and what protection costs."""
