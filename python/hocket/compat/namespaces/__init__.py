"""Modules with the names that Hocket has elsewhere, or under other names, than Triton."""
