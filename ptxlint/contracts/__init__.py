"""What a kernel needs of its caller: declared by options, comments or a file (``contract``,
``file``), as launches (``launch``) and as polynomials (``terms``), inferred from the PTX
(``inference``), and held against a launch (``guard``, ``agreement``)."""
