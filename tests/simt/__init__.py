"""The interpreter: small programs against numpy, every kind of fault, and the whole corpus."""
