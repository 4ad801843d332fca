"""Triton's modules whose contents are elsewhere in Hocket, or have other names."""
