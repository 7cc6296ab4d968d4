"""The concrete machine: bit vectors, floats and matrices, one element a thread."""
