"""MLIR of other compilers: read by xDSL, executed as far as integers are known, written as FIFO accesses."""
