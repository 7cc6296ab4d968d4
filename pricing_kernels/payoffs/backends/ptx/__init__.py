"""The PTX back-end: a program as instructions, put at the hooks of a compiled skeleton."""
