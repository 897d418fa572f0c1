"""State-space blocks (Mamba-2): the family, its models, and a decode step against one with attention."""
