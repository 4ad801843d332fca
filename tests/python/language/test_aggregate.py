"""Aggregates on the host: what the decorator checks, and instances as records of constants."""

import copy
import pickle
from typing import Any, ClassVar, Union

import pytest

import hocket
from hocket import language as gl
from hocket.runtime.dependencies import functions_in, stable_text


@hocket.aggregate
class Config:
    rows: gl.constexpr
    columns: gl.constexpr = 64
    KIND = "tile"
    limit: ClassVar[int] = 3

    @hocket.constexpr_function
    def numel(self):
        return self.rows * self.columns

    @hocket.jit
    def double(self):
        return self.rows * 2


@hocket.aggregate
class Nested:
    config: Config
    name: Union[str, None] = None  # noqa: UP007
    sizes: tuple[int, ...] = ()


@hocket.aggregate
class Named(Config):
    name: gl.constexpr = "a"


@hocket.aggregate
class Scaled(Config):
    def __init__(self, scale):
        super().__init__(4 * scale, columns=scale)


def test_fields_come_from_arguments_and_defaults():
    config = Config(16)
    assert (config.rows, config.columns, config.KIND, config.limit) == (16, 64, "tile", 3)
    assert config.numel() == 1024
    assert Config(rows=gl.constexpr(8), columns=2).numel() == 16
    assert repr(Config(1, 2)) == "Config(rows=1, columns=2)"


def test_inheritance_keeps_the_order_of_fields():
    assert Named._fields == ("rows", "columns", "name")
    assert Named(1, 2).name == "a"
    assert isinstance(Named(1), Config)
    assert Scaled(3).numel() == 36


def test_equality_and_hash_are_by_fields():
    assert Config(1, 2) == Config(1, 2)
    assert hash(Config(1, 2)) == hash(Config(1, 2))
    assert Config(1, 2) != Config(1, 3)
    assert Config(1, 2) != Config(1.0, 2), "another type compiles another kernel"
    assert Config(1, 2) != Named(1, 2)


def test_instances_do_not_change():
    config = Config(1)
    with pytest.raises(AttributeError, match="does not change after its `__init__`\n  hint: make a changed copy"):
        config.rows = 2
    with pytest.raises(AttributeError, match="cannot delete `rows`"):
        del config.rows
    changed = hocket.aggregate_replace(config, rows=5)
    assert (config.rows, changed.rows, changed.columns) == (1, 5, 64)


def test_copies_and_pickles():
    nested = Nested(Config(3), "x", (1, 2))
    assert copy.deepcopy(nested) == nested
    assert pickle.loads(pickle.dumps(nested)) == nested


def test_types_of_fields_are_checked():
    assert Nested(Config(1)).name is None
    with pytest.raises(TypeError, match="field `config` of Nested must be Config, not 3"):
        Nested(3)
    with pytest.raises(TypeError, match="field `name` of Nested must be str or None, not 3"):
        Nested(Config(1), 3)
    with pytest.raises(TypeError, match="missing argument `rows` of Config"):
        Config()
    with pytest.raises(TypeError, match="aggregate Config has no field `row`: it has rows, columns"):
        Config(row=1)
    with pytest.raises(TypeError, match="Config gets two values for `rows`"):
        Config(1, rows=1)
    with pytest.raises(TypeError, match="aggregate Config has no field `row`"):
        hocket.aggregate_replace(Config(1), row=2)
    with pytest.raises(TypeError, match="aggregate_replace takes an aggregate, not 3"):
        hocket.aggregate_replace(3, row=2)


def test_what_only_kernels_know_has_no_value_on_the_host():
    @hocket.aggregate
    class Counter:
        index: gl.tensor

    with pytest.raises(TypeError, match=r"must be gl\.tensor, not 3\n  hint: it has a value only in kernels"):
        Counter(3)


def test_classes_that_cannot_be_aggregates():
    with pytest.raises(TypeError, match="aggregate Empty has no fields"):

        @hocket.aggregate
        class Empty:
            size = 3

    with pytest.raises(TypeError, match="can only inherit from aggregates, but Mixin is none"):

        class Mixin:
            pass

        @hocket.aggregate
        class Mixed(Mixin):
            x: gl.tensor

    with pytest.raises(TypeError, match="takes a class, not"):
        hocket.aggregate(lambda: 0)

    with pytest.raises(TypeError, match="aggregate Reserved cannot have a field `_fields`"):

        @hocket.aggregate
        class Reserved:
            _fields: gl.tensor


def test_annotations_that_are_no_types():
    @hocket.aggregate
    class Wrong:
        x: 3

    with pytest.raises(
        TypeError, match="field `x` of aggregate Wrong is annotated with 3, which is not the type of a value"
    ):
        Wrong(1)


def test_any_takes_any_value():
    @hocket.aggregate
    class Anything:
        x: Any

    assert Anything([1]).x == [1]


def test_an_init_that_leaves_a_field_out():
    @hocket.aggregate
    class Half:
        left: gl.constexpr
        right: gl.constexpr

        def __init__(self, left):
            self.left = left

    with pytest.raises(TypeError, match="`__init__` of Half gives the field `right` no value"):
        Half(1)


def test_what_a_kernel_depends_on_includes_methods_and_fields():
    names = {function.__name__ for function in functions_in(Config(1))}
    assert {"numel", "double"} <= names
    assert "__init__" in {function.__name__ for function in functions_in(Scaled)}
    assert stable_text(Config(1, 2)) != stable_text(Config(1, 3))
    assert stable_text(Config) != stable_text(Named)
    assert "KIND" in stable_text(Config)


@hocket.jit
def product_kernel(out, config: gl.constexpr):
    gl.store(out, config.numel())


def test_a_kernel_is_compiled_once_for_equal_configurations():
    first = product_kernel.warmup(gl.int32, config=Config(2, 3), target="sm_90a")
    again = product_kernel.warmup(gl.int32, config=Config(2, 3), target="sm_90a")
    other = product_kernel.warmup(gl.int32, config=Config(2, 4), target="sm_90a")
    assert first is again
    assert first is not other
