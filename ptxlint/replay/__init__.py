"""Launches that show a finding, replayed on the interpreter."""
