"""Proofs for every launch: path conditions, loop invariants and the inequalities that follow."""
