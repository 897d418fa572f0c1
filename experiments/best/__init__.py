"""The best designs that were found on the U55C: a decode and a prefill design per model (docs/what-if/best.md)."""

from experiments.best.table import reproduce as reproduce
