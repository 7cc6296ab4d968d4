"""Models: how prices move, in the expressions of the language."""
