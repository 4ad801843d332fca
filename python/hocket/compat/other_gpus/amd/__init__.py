"""Gluon's modules for AMD GPUs that Hocket does not compile for."""
