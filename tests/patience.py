"""Time after which tests take another process for hung.

A bound on hangs, never on speed: machines that run tests may be many times slower than usual.
"""

HANG_SECONDS = 600
