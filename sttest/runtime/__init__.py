"""Generations on a target: memory images, launches, caches."""
