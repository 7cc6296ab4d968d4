"""Back-ends: programs of the machine as numpy, as PTX, as CUDA C. They agree bit for bit."""
