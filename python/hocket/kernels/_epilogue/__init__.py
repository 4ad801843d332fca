"""Functions of the user as epilogues of `matmul`."""
