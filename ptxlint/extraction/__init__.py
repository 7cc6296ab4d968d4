"""PTX out of what carries it: fat binaries in objects, libraries and executables
(``fat_binaries``, with ``lz4``), CUDA C (``cuda``), and the cache of Triton (``triton_cache``)."""
