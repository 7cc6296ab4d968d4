"""Runs of a kernel on the interpreter: arrays, faults, and what came of it."""
