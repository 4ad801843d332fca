"""Gluon's modules for GPUs that Hocket does not compile for: `nvidia.blackwell` and `amd.gfx1250`.

Files that were written for Triton import these modules. Kernels that use an operation of these GPUs do not compile: the
error names the GPU and an alternative. Modules for RDNA and Rubin have only placeholders (`hocket.compat.missing`).
"""
