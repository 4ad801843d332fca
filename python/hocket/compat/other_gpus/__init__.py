"""Gluon's modules for GPUs that Hocket does not compile for: `nvidia.blackwell` and `amd.gfx1250`.

Files that were written for Triton import these modules. Kernels that use one of their operations do not compile: the
error names the GPU and an alternative. Other modules of this kind (RDNA, Rubin) have only placeholders:
`hocket.compat.missing`.
"""
