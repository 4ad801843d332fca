"""Reads of constexpr functions (runtime/compile_time_reads.py). tests/errors has the resulting messages."""

import math
import os.path

import hocket
from hocket import language as gl
from hocket.runtime.compile_time_reads import reads_of

SIZES = (4, 8)


def spellings(function) -> list[str]:
    return sorted({read.spelling for read in reads_of(function)})


def helper(n):
    return math.gcd(n, SIZES[0])


def test_globals_builtins_and_attributes():
    @gl.constexpr_function
    def layout(n):
        return gl.BlockedLayout([helper(n)], [max(n, 1)], [4], [0]), os.path.sep

    assert spellings(layout) == ["SIZES", "gl.BlockedLayout", "helper", "math.gcd", "max", "os.path.sep"]


def test_imports_inside():
    @gl.constexpr_function
    def several():
        import os.path as paths
        from math import floor as down
        from math import pi

        return paths.join("a", "b"), down(pi), (lambda x: down(x))(1)

    assert spellings(several) == ["down", "math.floor", "math.pi", "os.path.join"]


def test_an_import_and_its_use_on_one_line():
    spaces = {}
    exec("def pi():\n    import math as m; return m.pi", spaces)  # Python 3.13 stores and loads m in one instruction
    assert spellings(spaces["pi"]) == ["math.pi"]


def test_nested_functions_closures_and_methods():
    size = 8

    class Family:
        @gl.constexpr_function
        def area(self):
            return (lambda: math.sqrt(size))()

    assert spellings(Family.area) == ["math.sqrt", "size"]
    assert {read.function for read in reads_of(Family.area)} == {"<lambda>"}


def test_lines():
    @gl.constexpr_function
    def two_lines():
        a = math.pi
        return a + math.tau

    first = two_lines.fn.__code__.co_firstlineno
    assert [(read.spelling, read.line - first) for read in reads_of(two_lines)] == [("math.pi", 2), ("math.tau", 3)]


def test_what_a_global_stands_for_now():
    spaces = {"math": math}
    exec("def one(): return math.pi\ndef caller(): return one()", spaces)
    assert spellings(spaces["caller"]) == ["math.pi", "one"]
    assert reads_of(spaces["caller"]) is reads_of(spaces["caller"])
    exec("def one(): return math.tau", spaces)
    assert spellings(spaces["caller"]) == ["math.tau", "one"]


def test_functions_of_hocket_are_constant():
    assert reads_of(hocket.jit) == []
