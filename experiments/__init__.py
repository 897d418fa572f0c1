"""One file per table, figure or study."""
