"""Grouped GEMM: one GEMM per group of rows, as in a mixture of experts."""
