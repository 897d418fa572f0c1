"""SAIL: sums of products by table look-up, in LUTs."""
