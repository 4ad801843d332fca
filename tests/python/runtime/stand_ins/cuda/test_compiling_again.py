"""Globals that change, and kernels that are found on disk."""

import linecache
import os
import pathlib

import pytest
from stand_ins.arrays import CudaArray, aligned

import hocket
from hocket import _core
from hocket import language as gl
from hocket.language.extra import libdevice
from hocket.runtime import compiler

FACTOR = gl.constexpr(2)


@hocket.jit
def helper(x):
    return x * FACTOR


@hocket.jit
def scaled(out, n):
    i = gl.arange(0, 128, layout=gl.row_layout())
    gl.store(out + i, helper(i), mask=i < n)


@hocket.jit
def converted(out, FUNCTION: gl.constexpr):
    i = gl.arange(0, 128, layout=gl.row_layout())
    gl.store(out + i, FUNCTION((i - 64) * (2**24 + 1)).to(gl.int32))


@pytest.fixture
def out():
    return CudaArray(aligned(128, "int32"))


class TestGlobals:
    def test_a_changed_global_of_a_callee(self, driver, out, monkeypatch):
        first = scaled[(1,)](out, 100)
        assert scaled[(1,)](out, 100) is first
        monkeypatch.setitem(globals(), "FACTOR", gl.constexpr(3))
        second = scaled[(1,)](out, 100)
        assert second is not first
        assert first.asm["llvm"] != "" and second.asm["ptx"] != first.asm["ptx"]
        assert scaled[(1,)](out, 100) is second

    def test_a_redefined_helper(self, driver, out, monkeypatch):
        first = scaled[(1,)](out, 100)

        @hocket.jit
        def other(x):
            return x + 1

        monkeypatch.setitem(globals(), "helper", other)
        assert scaled[(1,)](out, 100) is not first

    def test_a_changed_closure_variable(self, driver, out):
        def make():
            size = 64

            @hocket.jit
            def kernel(out):
                i = gl.arange(0, size, layout=gl.row_layout())
                gl.store(out + i, i)

            def set_size(value):
                nonlocal size
                size = value

            return kernel, set_size

        kernel, set_size = make()
        first = kernel[(1,)](out)
        assert kernel[(1,)](out) is first
        set_size(128)
        assert kernel[(1,)](out) is not first


SOURCE = """\
import hocket
from hocket import language as gl

{above}
FACTOR = gl.constexpr({factor})

@hocket.jit
def helper(x):
    return x {operator} FACTOR

@hocket.jit
def kernel(out, n, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    gl.store(out + i, helper(i), mask=i < n)
"""


class TestDisk:
    """Each test loads the file of kernels again, as another process would."""

    @pytest.fixture(autouse=True)
    def own_cache(self, tmp_path, monkeypatch):
        self.folder = tmp_path / "cache"
        self.file = tmp_path / "kernels.py"
        monkeypatch.setenv("HOCKET_CACHE_DIR", str(self.folder))
        runs = self.runs = []
        original = compiler.Request.run
        monkeypatch.setattr(
            compiler.Request, "run", lambda request, *wanted: runs.append(1) or original(request, *wanted)
        )

    def launch(self, out, n=100, above="", factor=2, operator="*", num_warps=4, block=128):
        """True when the launch compiled, False when it found its kernel on disk."""
        self.file.write_text(SOURCE.format(above=above, factor=factor, operator=operator))
        linecache.checkcache()
        names = {"__name__": "kernels"}
        exec(compile(self.file.read_text(), str(self.file), "exec"), names)
        before = len(self.runs)
        names["kernel"][(1,)](out, n, BLOCK=block, num_warps=num_warps)
        return len(self.runs) > before

    def entries(self) -> list[pathlib.Path]:
        return sorted((self.folder / "kernels").iterdir())

    def test_the_second_process_finds_the_kernel(self, driver, out):
        assert self.launch(out)
        assert not self.launch(out)
        assert len(self.entries()) == 1

    def test_what_was_found_is_complete(self, driver, out):
        self.launch(out)
        loads = driver.get("loads")
        assert not self.launch(out)
        assert driver.get("loads") == loads + 1
        assert list(driver.last.block) == [128, 1, 1]

    @pytest.mark.parametrize(
        "change", [{"factor": 3}, {"operator": "+"}, {"n": 96}, {"num_warps": 8}, {"block": 64}], ids=str
    )
    def test_what_changes_the_kernel(self, driver, out, change):
        self.launch(out)
        assert self.launch(out, **change)

    def test_code_above_the_kernel_does_not_matter(self, driver, out):
        self.launch(out)
        assert not self.launch(out, above="# a comment\nunrelated = 5\n")

    @pytest.mark.parametrize(
        "damage",
        [
            lambda path: path.write_bytes(b""),
            lambda path: path.write_bytes(path.read_bytes()[:-1]),
            lambda path: path.write_bytes(path.read_bytes()[:100] + b"X" + path.read_bytes()[101:]),
            lambda path: (path.unlink(), path.mkdir()),
        ],
        ids=["emptied", "cut", "altered", "a folder"],
    )
    def test_damaged_entries_are_compiled_again(self, driver, out, damage):
        self.launch(out)
        damage(self.entries()[0])
        assert self.launch(out)

    def test_an_unusable_folder_is_no_error(self, driver, out):
        self.folder.write_text("a file where the cache should be")
        assert self.launch(out)
        assert self.launch(out)

    def test_no_cache(self, driver, out, monkeypatch):
        monkeypatch.setenv("HOCKET_CACHE_DIR", "")
        assert self.launch(out)
        assert self.launch(out)
        assert not self.folder.exists()

    def test_functions_of_one_definition_are_different_kernels(self, driver, out):
        """All of these are one Python function, which closes over the direction."""
        functions = [getattr(libdevice, f"int2float_{mode}") for mode in ("rz", "rd", "ru")]
        texts = [converted[(1,)](out, function).asm["ptx"] for function in functions]
        assert (len({*texts}), len(self.entries())) == (3, 3)

    def test_the_folder_is_private(self, driver, out):
        self.launch(out)
        assert os.stat(self.folder / "kernels").st_mode & 0o777 == 0o700


def test_the_core_has_a_build_id():
    assert len(_core.build_id()) == 40
