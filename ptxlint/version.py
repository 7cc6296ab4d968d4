"""The version of this package; a test holds it to pyproject.toml."""

VERSION = "0.1.0"
