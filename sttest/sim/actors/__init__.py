"""Actors that fire for ever: steady states and throughput."""
