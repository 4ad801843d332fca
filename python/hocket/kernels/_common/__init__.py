"""Parts that several ready kernels share."""
