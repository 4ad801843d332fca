"""Triton's modules whose names are in other modules of Hocket, or differ in Hocket."""
