"""The modules that launch kernels: jit functions, specialization, compilation, the disk cache."""
