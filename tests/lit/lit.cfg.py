"""lit configuration: .mlir and .test files of this folder, run with the tools of the build folder and FileCheck.

Run through the build folder, which knows where the tools are: lit -sv build/dev/tests/lit
"""

import os
import pathlib
import sys

import lit.formats

# ruff: noqa: F821 (lit defines `config`)
config.name = "hocket"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.hocket_binary_dir + "/tests/lit"

config.substitutions.append(("%examples", config.hocket_source_dir + "/examples"))
config.substitutions.append(("%tutorials", config.hocket_source_dir + "/tutorials"))
config.substitutions.append(("%root", config.hocket_source_dir))
config.substitutions.append(("%llvm_include", config.llvm_include_dir))
config.substitutions.append(("%python", sys.executable))

# hocket-opt; FileCheck, not, count; then the environment's own `hocket` command.
tools = [config.hocket_tools_dir, config.llvm_tools_dir, str(pathlib.Path(sys.executable).parent)]
config.environment["PATH"] = os.pathsep.join([*tools, os.environ.get("PATH", "")])
for variable in ("HOME", "PYTHONPATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

# Python is not built with a sanitizer, so its runtime has to be loaded before Python.
if config.hocket_sanitizer_runtime:
    config.environment["LD_PRELOAD"] = config.hocket_sanitizer_runtime
