"""The chain of waits that bounds a run."""
