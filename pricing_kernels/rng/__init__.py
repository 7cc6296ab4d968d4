"""Random number generators: constants, numpy reference, CUDA C fragment, known answers."""
