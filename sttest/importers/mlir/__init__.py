"""MLIR of other compilers: read by xDSL, executed as far as integers are known, and written as traces of FIFO accesses."""
