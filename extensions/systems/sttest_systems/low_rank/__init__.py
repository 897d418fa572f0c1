"""Linear layers in two factors: the family of such blocks, and what the rank is worth."""
