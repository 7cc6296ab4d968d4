"""`python -m pricing_kernels`: the same commands as `pricing-kernels`."""

from pricing_kernels.cli import main

main()
