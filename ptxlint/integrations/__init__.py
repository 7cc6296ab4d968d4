"""ptxlint inside of other tools."""
