"""sttest: a simulation-first testbed for streaming dataflow accelerators that run LLMs."""

from sttest.core.program import __version__

__all__ = ["__version__"]
