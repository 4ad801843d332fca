# ruff: noqa: F403
"""The C++ core: the functions and classes that csrc/bindings/ exports to Hocket's Python files. Users must not import
this module. _core_stubs contains one stub file for each part of the core.
"""

from ._core_stubs import testing as testing
from ._core_stubs.code_facts import *
from ._core_stubs.compile import *
from ._core_stubs.dispatch import *
from ._core_stubs.emulator import *
from ._core_stubs.frontend import *
from ._core_stubs.kernel_facts import *
from ._core_stubs.layouts import *
from ._core_stubs.runtime import *
from ._core_stubs.targets import *
