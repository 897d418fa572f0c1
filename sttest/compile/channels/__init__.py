"""Memory channels: who reads from which, in what stretches, how far ahead."""
