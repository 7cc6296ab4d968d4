"""The cost of accesses: the offsets of the lanes (``patterns``), how devices count them
(``devices``, ``costs``), the cost as a function of what is open (``cost_functions``), the share in
the kernel's traffic (``share``), and layouts that cost less (``fixes``)."""
