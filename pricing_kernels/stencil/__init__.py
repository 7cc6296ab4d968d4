"""Stencils: each point of a grid from its neighbours, step after step."""
