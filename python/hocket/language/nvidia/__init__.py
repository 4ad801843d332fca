"""NVIDIA's own operations: asynchronous copies, mbarriers, TMA and wgmma will live in submodules per architecture.

Nothing is implemented yet; portable kernels need only `hocket.language`.
"""
