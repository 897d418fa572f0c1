"""One pass per file, each named as on the command line."""
