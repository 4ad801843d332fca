"""Globals that a kernel depends on, found in its bytecode."""

import linecache
import math
import re
import types

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.language.extra import libdevice
from hocket.runtime.dependencies import NotStable, fingerprint, functions_in, stable_text, used_globals

NUMBER = 5
UNUSED = 6
layout = gl.BlockedLayout([1], [32], [4], [0])
config = types.ModuleType("config")
config.SIZE = 128
config.inner = types.ModuleType("inner")
config.inner.DEPTH = 3


@gl.constexpr_function
def doubled(x):
    return x * NUMBER


def names_of(fn):
    return sorted(name for _, name, _ in used_globals(functions_in(fn)))


def test_plain_globals():
    @hocket.jit
    def kernel(x):
        gl.store(x, NUMBER)

    assert names_of(kernel) == ["NUMBER"]


def test_names_of_hocket_and_builtins_cannot_change():
    @hocket.jit
    def kernel(x):
        for i in range(4):
            gl.store(x + i, gl.program_id(0))

    assert names_of(kernel) == []


def test_attributes_of_modules():
    @hocket.jit
    def kernel(x):
        gl.store(x, config.SIZE + config.inner.DEPTH + math.pi)

    assert names_of(kernel) == ["DEPTH", "SIZE", "pi"]


class Settings:
    WIDTH = 2

    class Inner:
        HEIGHT = 3

    @staticmethod
    @hocket.jit
    def scaled(x):
        return x * NUMBER

    @classmethod
    def made_anew_by_each_reading(cls):
        return 1


def test_attributes_of_classes():
    @hocket.jit
    def kernel(x):
        gl.store(x, Settings.WIDTH + Settings.Inner.HEIGHT + Settings.made_anew_by_each_reading())

    # The method makes the whole class a dependence, beside the class and the attributes that are read.
    assert names_of(kernel) == ["HEIGHT", "Inner", "Settings", "Settings", "WIDTH"]


def test_functions_in_classes_are_followed():
    @hocket.jit
    def kernel(x):
        gl.store(x, Settings.scaled(3))

    assert names_of(kernel) == ["NUMBER", "Settings", "scaled"]


def test_a_changed_attribute_of_a_class_recompiles(monkeypatch):
    @hocket.jit
    def kernel(x):
        gl.store(x, Settings.WIDTH)

    out = np.zeros(1, np.int32)
    first = kernel[(1,)](out)
    assert (kernel[(1,)](out) is first, out[0]) == (True, 2)
    monkeypatch.setattr(Settings, "WIDTH", 4)
    kernel[(1,)](out)
    assert out[0] == 4


def test_functions_are_followed():
    @hocket.jit
    def kernel(x):
        gl.store(x, doubled(3))

    assert names_of(kernel) == ["NUMBER", "doubled"]


def test_comprehensions():
    @hocket.jit
    def kernel(x):
        values = [NUMBER for _ in (1, 2)]
        gl.store(x, values[0])

    assert "NUMBER" in names_of(kernel)


def test_closures():
    size = 7

    @hocket.jit
    def kernel(x):
        gl.store(x, size)

    ((cell, name, value),) = used_globals([kernel.fn])
    assert (name, value) == ("size", 7)
    assert cell.cell_contents == 7


def test_recursion_ends():
    @hocket.jit
    def kernel(x):
        kernel(x)

    assert names_of(kernel) == ["kernel"]


@pytest.mark.parametrize(
    "value",
    [None, True, 1, 1.0, -0.0, "1", (1,), [1], gl.float32, gl.constexpr(1), layout, math.sin, int],
    ids=repr,
)
def test_texts_tell_values_apart(value):
    others = [None, True, 1, 1.0, -0.0, 0.0, "1", (1,), [1], gl.float32, gl.float16, gl.constexpr(1), layout, math.sin]
    same = [other for other in others if stable_text(other) == stable_text(value)]
    assert all(type(other) is type(value) for other in same) and len(same) <= 1


def test_numbers_of_numpy_are_the_numbers_of_python():
    assert stable_text(np.int64(3)) == stable_text(3)
    assert stable_text(np.float32(0.1)) == stable_text(float(np.float32(0.1))) != stable_text(0.1)
    assert stable_text(np.bool_(True)) == stable_text(True)


def test_values_without_a_text():
    with pytest.raises(NotStable):
        stable_text(object())


def test_functions_without_source_have_no_fingerprint():
    names = {}
    exec("def kernel(x): pass", names)
    with pytest.raises(NotStable):
        fingerprint([names["kernel"]], [])


def test_source_locations_matter_only_on_request():
    """Assertions of kernels compiled with debug=True name their lines."""
    source = "import hocket\n\n\n@hocket.jit\ndef kernel(x):\n    pass\n"
    prints, moved = [], "\n" + source
    for text in (source, moved):
        linecache.cache["kernel.py"] = (len(text), None, text.splitlines(keepends=True), "kernel.py")
        exec(compile(text, "kernel.py", "exec"), names := {})
        prints.append([fingerprint([names["kernel"].fn], [], with_places=places) for places in (False, True)])
    assert prints[0][0] == prints[1][0]
    assert prints[0][1] != prints[1][1]


def adds(amount):
    @hocket.jit
    def added(x):
        return x + amount

    return added


ROUNDING = [getattr(libdevice, f"{name}_{mode}") for name in ("add", "sub", "sqrt") for mode in ("rz", "rd", "ru")]


@pytest.mark.parametrize(
    "functions",
    [ROUNDING, [libdevice.int2float_rn, libdevice.ll2float_rn], [adds(1), adds(2)], [gl.exp, gl.log, libdevice.rint]],
    ids=["directions", "conversions", "own", "builtins"],
)
def test_texts_tell_functions_of_one_definition_apart(functions):
    texts = [stable_text(function) for function in functions]
    assert len({*texts}) == len(texts)


def test_functions_of_one_definition_have_the_text_of_their_closure():
    assert stable_text(adds(1)) == stable_text(adds(1))
    assert stable_text((adds(1), adds(2), adds(1))) != stable_text((adds(1), adds(2), adds(2)))


def test_a_function_that_calls_itself_has_a_text():
    @hocket.jit
    def kernel(x):
        kernel(x)

    assert stable_text(kernel)


def test_every_function_of_libdevice_has_a_text():
    """Equal ones are of equal meaning: what they compile to depends on the dtypes of arguments, which the key has."""
    texts = {}
    for name in dir(libdevice):
        function = getattr(libdevice, name)
        if functions_in(function) or not hasattr(function, "fn"):
            continue
        texts.setdefault(stable_text(function), {})[id(function)] = name
    for text, names in texts.items():
        results = {re.sub("^(double|float|int|uint|ll|ull)2", "2", name) for name in names.values()}
        assert len(results) == 1, (text, names)


@pytest.mark.parametrize(
    "imports",
    [
        [f"from hocket.language import {name} as call" for name in ("maximum", "minimum")],
        [f"from hocket.language.extra.libdevice import {name} as call" for name in ("add_rz", "add_ru")],
        [f"import hocket.language as lib; call = lib.{name}" for name in ("exp", "exp2")],
    ],
    ids=["builtin", "written in the language", "assigned"],
)
def test_what_an_alias_stands_for_counts(imports):
    assert len({_fingerprint_after(text, "call(x, x)") for text in imports}) == 2


def test_what_an_alias_of_a_module_stands_for_counts():
    imports = ("import hocket.language as lib", "import hocket.language.extra.libdevice as lib")
    assert len({_fingerprint_after(text, "lib.exp(x)") for text in imports}) == 2


def _fingerprint_after(imports, body):
    text = f"import hocket\n{imports}\n@hocket.jit\ndef kernel(x):\n    {body}\n"
    linecache.cache["aliased.py"] = (len(text), None, text.splitlines(keepends=True), "aliased.py")
    exec(compile(text, "aliased.py", "exec"), names := {"__name__": "aliased"})
    functions = functions_in(names["kernel"])
    return fingerprint(functions, used_globals(functions))


def kernel_of_class_in_closure(width):
    class Sizes:
        WIDTH = width

    @hocket.jit
    def kernel(x):
        gl.store(x, Sizes.WIDTH)

    return kernel, Sizes


def test_classes_in_closures():
    (kernel, sizes), (other, _) = kernel_of_class_in_closure(3), kernel_of_class_in_closure(4)
    again, _ = kernel_of_class_in_closure(3)
    assert fingerprint_of(kernel) == fingerprint_of(again)
    assert fingerprint_of(kernel) != fingerprint_of(other)
    x = np.zeros(1, np.int32)
    kernel[(1,)](x)
    assert x[0] == 3
    sizes.WIDTH = 4
    kernel[(1,)](x)
    assert x[0] == 4
    assert fingerprint_of(kernel) == fingerprint_of(other)


def fingerprint_of(kernel):
    return fingerprint([kernel.fn], used_globals([kernel.fn]))


def kernel_of_whole_class(width, use):
    class Base:
        WIDTH = width

    class Sizes(Base):
        def __init__(self):
            self.width = width

        @classmethod
        def of_class(cls):
            return width + scale_of(cls)

    def scale_of(cls):
        return 0 * cls.WIDTH

    @gl.constexpr_function
    def chosen():
        alias = Sizes
        return (alias.WIDTH, Sizes().width, Sizes.of_class())[use]

    @hocket.jit
    def kernel(x):
        gl.store(x, chosen())

    return kernel


@pytest.mark.parametrize("use", range(3))
def test_a_class_that_is_read_as_a_whole(use):
    """An alias of a class, a call of the class and a class method depend on all attributes of the class."""
    keys = [fingerprint_of(kernel_of_whole_class(width, use)) for width in (3, 4, 3)]
    assert keys[0] == keys[2] != keys[1]


def test_sources_of_methods_count():
    def key(body):
        lines = f"class Sizes:\n    @classmethod\n    def width(cls):\n        return {body}\n".splitlines(True)
        text = "".join([*lines, "def function():\n    return Sizes.width()\n"])
        name = f"<sizes {body}>"
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        space = {"__name__": "sizes"}
        exec(compile(text, name, "exec"), space)
        return fingerprint([space["function"]], used_globals([space["function"]]))

    assert key("1") == key("1") != key("2")


def test_classes_that_contain_themselves_have_a_text():
    class Node:
        def child(self):
            return Node()

    Node.node = Node

    def function():
        return Node().child()

    assert fingerprint([function], used_globals([function]))
