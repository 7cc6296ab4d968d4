"""Models of an asset: CUDA C fragment and numpy reference."""
