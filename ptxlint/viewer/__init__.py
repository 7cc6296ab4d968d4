"""The report as HTML: one page for a file, without a network, a server or a framework.

``views`` takes from the analyses what is shown of a kernel, as plain data; ``listing``, ``arrows``
and ``pictures`` draw it; ``page`` fills the templates, and ``pages`` writes the files.
"""
