"""Which layer's weights have which type, by an integer program over simulated cost and noise (OHQ)."""
