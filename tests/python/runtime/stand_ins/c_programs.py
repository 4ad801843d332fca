"""C sources of exports, compiled by the machine's C compiler and called from Python."""

import ctypes
import pathlib
import shutil
import subprocess

import pytest

FLAGS = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O1", "-Wall", "-Wextra", "-Werror"]


def c_compiler() -> str:
    compiler = next((found for name in ("cc", "gcc", "clang-22") if (found := shutil.which(name))), None)
    if compiler is None:
        pytest.skip("no C compiler")
    return compiler


class CBundle:
    """The functions of a bundle's C source, in a shared library. `module_count`: number of kernels."""

    def __init__(self, folder: pathlib.Path, name: str, module_count: int = 1):
        library = folder.parent / f"lib{name}.so"
        command = [c_compiler(), *FLAGS, "-shared", "-fPIC", "-o", library, folder / f"{name}.c", "-ldl"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        self._library = ctypes.CDLL(str(library))
        self._name, self._folder = name, folder
        self._kernel = (ctypes.c_void_p * (3 * module_count))()
        getattr(self._library, f"{name}_error").restype = ctypes.c_char_p

    def _function(self, suffix: str):
        return getattr(self._library, f"{self._name}_{suffix}")

    @property
    def error(self) -> str:
        return self._function("error")().decode()

    def load(self) -> int:
        return self._function("load")(self._kernel, str(self._folder).encode())

    def launch(self, *arguments, stream: int = 0) -> int:
        return self._function("launch")(self._kernel, ctypes.c_void_p(stream), *arguments)

    def unload(self) -> None:
        self._function("unload")(self._kernel)


def program(folder: pathlib.Path, name: str, main: str) -> pathlib.Path:
    """Compiles and links a program with the main function `main` and the C source of a bundle. Returns its path."""
    source, path = folder.parent / "main.c", folder.parent / "program"
    source.write_text(main)
    sources = [source, folder / f"{name}.c"]
    command = [c_compiler(), *FLAGS, f"-I{folder}", "-o", path, *sources, "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return path
