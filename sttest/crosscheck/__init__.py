"""One design through every backend, compared token by token (docs/explanation/crosscheck.md)."""
