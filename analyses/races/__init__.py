"""Accesses of two threads that may conflict."""
