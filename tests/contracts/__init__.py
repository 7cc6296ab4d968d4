"""Inferred contracts held against runs: launches that meet one never fault, and a launch that
breaks a bound of it by one element does, or the bound is not tight."""
