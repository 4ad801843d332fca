"""Modules that several ready kernels share."""
