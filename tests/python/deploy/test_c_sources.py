"""The C source and the header of a bundle compile without warnings, with all names of kernels and arguments."""

import shutil
import subprocess

import pytest

import hocket
from hocket import language as gl

F32 = gl.float32
COMPILERS = [
    name
    for name in ("gcc -std=c11", "gcc -std=gnu11", "gcc -std=c2x", "clang -std=c11")
    if shutil.which(name.split()[0])
]
FLAGS = ["-Wall", "-Wextra", "-Werror", "-pedantic"]


@hocket.jit
def load(this, new, bool, unix, n, EOF, asm, NAME, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK)
    gl.store(new + i, gl.load(this + i) + bool + unix + EOF + asm + NAME, mask=i < n)


@hocket.jit
def NAME_kernel(x, BLOCK: gl.constexpr):
    gl.store(x + gl.arange(0, BLOCK), 1.0)


def compiled(command, source, *flags):
    done = subprocess.run([*command.split(), *FLAGS, *flags, "-c", source, "-o", "/dev/null"], capture_output=True)
    return done.stderr.decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("sources")
    numbers = 1, 2, 1000, 3, 4, 5
    for target in ("sm_90a", "gfx942"):
        grid = "cdiv(n, BLOCK) % n, n // \\\n asm"
        load.export(path / target, F32, F32, *numbers, BLOCK=128, target=target, grid=grid)
    return path


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("target", ["sm_90a", "gfx942"])
def test_without_warnings(folder, compiler, target):
    assert compiled(compiler, folder / target / "load.c") == ""


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_the_header_in_cplusplus(folder, tmp_path):
    (tmp_path / "main.cpp").write_text('#include "load.h"\nint main() { return load_error() != nullptr; }\n')
    assert compiled("g++", tmp_path / "main.cpp", "-I", folder / "sm_90a") == ""


def test_the_name_of_a_kernel_in_the_machine_code_stays(tmp_path):
    NAME_kernel.export(tmp_path / "named", F32, BLOCK=128, target="sm_90a", name="other")
    text = (tmp_path / "named" / "other.c").read_text()
    assert '{"NAME_kernel", {"NAME_kernel.' in text
