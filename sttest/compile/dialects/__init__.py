"""The dialects that sttest adds to MLIR's own."""
