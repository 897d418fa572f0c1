"""Serving: requests that arrive over time, in batches that change from step to step, on simulated designs."""
