"""From a call to a running kernel: jit objects, specialisation, compiled kernels, the disk cache."""
