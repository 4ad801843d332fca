"""The path from a call to a running kernel: jit functions, specialization, compiled kernels, the disk cache."""
