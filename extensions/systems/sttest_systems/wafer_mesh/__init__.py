"""A product of a matrix with a vector on a mesh of cores that hold the matrix."""
