"""The 32 lanes of a warp: what each of them computes."""
