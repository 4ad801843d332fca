"""Gluon's modules for NVIDIA GPUs that Hocket does not compile for."""
