"""Tests of exports use kernels, and a compiler for C, that the tests with stand-ins of drivers also use."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "runtime"))
