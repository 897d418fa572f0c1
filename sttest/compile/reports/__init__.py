"""Tables of a design package, one file per table."""
