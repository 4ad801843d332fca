"""AMD's own operations: buffer accesses, MFMA, direct-to-LDS copies and warp pipelines will live in submodules.

Nothing is implemented yet; portable kernels need only `hocket.language`.
"""
