"""The language of payoffs, after the thesis (chapter VI, section 2), as a Python API."""
