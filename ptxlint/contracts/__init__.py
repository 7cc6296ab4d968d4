"""The launches of kernels: declared by one source (``contract``, whose values ``declaration`` and
``expression`` read, and whose tables are in ``files``), resolved for a kernel (``resolution``, with
``consistency``, makes a ``launch``), assumed by the analyses (``assumptions``), and checked before
a kernel starts (``launch_check``)."""
