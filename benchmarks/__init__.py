"""Speed of the compiler and of the engines: ``make bench``."""
