"""The configuration of a project: its keys, its file, and what a command line overrules."""
