"""Why a graph stands still, and what would let it finish."""
