"""The GEMM kernels: `matmul` and `matmul_scaled`."""
