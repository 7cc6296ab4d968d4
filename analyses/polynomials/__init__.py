"""Polynomials over the integers and modulo powers of two."""
