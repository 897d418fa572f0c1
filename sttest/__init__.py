"""sttest: a simulation-first testbed for streaming dataflow accelerators that run LLMs."""

__version__ = "0.1.0"
