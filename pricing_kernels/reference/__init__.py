"""Reference values: closed forms that no Monte Carlo run has a part in."""
