"""One design through every backend, compared token by token (docs/how-it-works/crosscheck.md)."""
