"""The instruction set: one row an instruction, one file a chapter of the PTX manual."""
