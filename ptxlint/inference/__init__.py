"""Contracts that are inferred from a kernel."""
