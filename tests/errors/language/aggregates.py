"""Structs of values: fields that are missing or of another type, changes of an object, methods, derived classes."""

import dataclasses
from typing import Union

from cases import jit, mistake

import hocket
import hocket.language as gl


@hocket.aggregate
class Counter:
    index: gl.tensor
    size: gl.constexpr
    step: gl.int32 = 1

    @jit
    def next(self):
        return Counter(self.index + self.step, self.size)

    @hocket.must_use_result
    @jit
    def checked_next(self):
        return self.next()

    @jit
    def advance(self):
        self.index = self.index + 1

    def plain(self):
        return self.index

    @classmethod
    def make(cls, index):
        return cls(index, 1)

    @hocket.constexpr_function
    def broken(self):
        return self.size // 0

    @hocket.constexpr_function
    def computed(self):
        return self.index + 1


@mistake("*f32, i32")
def field_not_given(out, n):
    gl.store(out, Counter(n).index)


@mistake("*f32, i32")
def too_many_fields(out, n):
    gl.store(out, Counter(n, 4, 1, 2).index)


@mistake("*f32, i32")
def misspelt_field_in_the_call(out, n):
    gl.store(out, Counter(n, sise=4).index)


@mistake("*f32, i32")
def constexpr_field_of_a_run_time_value(out, n):
    gl.store(out, Counter(n, n).index)


@mistake("*f32, i32")
def field_of_another_dtype(out, n):
    gl.store(out, Counter(n, 4, n * 1.5).index)


@mistake("*f32, i32")
def tensor_field_of_a_string(out, n):
    gl.store(out, Counter("zero", 4).index)


@mistake("*f32, i32")
def misspelt_attribute(out, n):
    counter = Counter(n, 4)
    gl.store(out, counter.indx)


@mistake("*f32, i32")
def misspelt_method(out, n):
    counter = Counter(n, 4)
    gl.store(out, counter.nxt().index)


@mistake("*f32, i32")
def assignment_to_a_field(out, n):
    counter = Counter(n, 4)
    counter.index = n + 1
    gl.store(out, counter.index)


@mistake("*f32, i32")
def augmented_assignment_to_a_field(out, n):
    counter = Counter(n, 4)
    counter.index += 1
    gl.store(out, counter.index)


@mistake("*f32, i32")
def method_that_changes_self(out, n):
    counter = Counter(n, 4)
    counter.advance()
    gl.store(out, counter.index)


@mistake("*f32, i32")
def result_of_next_dropped(out, n):
    counter = Counter(n, 4)
    counter.checked_next()
    gl.store(out, counter.index)


@mistake("*f32, i32")
def undecorated_method(out, n):
    gl.store(out, Counter(n, 4).plain())


@mistake("*f32, i32")
def class_method(out, n):
    gl.store(out, Counter(n, 4).make(n).index)


@mistake("*f32, i32")
def constexpr_method_raises(out, n):
    gl.store(out, Counter(n, 4).broken())


@mistake("*f32, i32")
def constexpr_method_computes_with_run_time_values(out, n):
    gl.store(out, Counter(n, 4).computed())


@mistake("*f32, i32")
def replacing_no_aggregate(out, n):
    gl.store(out, hocket.aggregate_replace(n, index=1))


@mistake("*f32, i32")
def replacing_an_unknown_field(out, n):
    gl.store(out, hocket.aggregate_replace(Counter(n, 4), idx=1).index)


@mistake("*f32, i32")
def replacing_by_another_type(out, n):
    gl.store(out, hocket.aggregate_replace(Counter(n, 4), size=n).index)


@mistake("*f32, i32")
def replacing_by_position(out, n):
    gl.store(out, hocket.aggregate_replace(Counter(n, 4), n).index)


@mistake("*f32, i32")
def constant_field_changes_in_a_loop(out, n):
    counter = Counter(n, 4)
    for _ in range(n):
        counter = Counter(n, 5)
    gl.store(out, counter.size)


@mistake("*f32, i32")
def branches_with_different_aggregates(out, n):
    if n > 0:
        state = Counter(n, 4)
    else:
        state = Pair(n, n)
    gl.store(out, 1.0)


@mistake("*f32, i32")
def aggregate_as_a_number(out, n):
    gl.store(out, Counter(n, 4))


@mistake("*f32, i32")
def aggregates_added(out, n):
    gl.store(out, (Counter(n, 4) + Counter(n, 4)).index)


@hocket.aggregate
class Pair:
    first: gl.tensor
    second: Union[gl.tensor, gl.constexpr, None]  # noqa: UP007


@mistake("*f32, i32")
def pair_of_a_layout(out, n):
    gl.store(out, Pair(gl.BlockedLayout([1], [32], [4], [0]), 1).first)


@mistake("*f32, i32")
def aggregate_indexed(out, n):
    gl.store(out, Pair(n, n)[0])


@mistake("*f32, i32")
def aggregate_unpacked(out, n):
    first, second = Pair(n, n)
    gl.store(out, first + second)


class Derived(Pair):
    third: gl.tensor


@mistake("*f32, i32")
def derived_class_without_decorator(out, n):
    gl.store(out, Derived(n, n, n).third)


@hocket.aggregate
class Untyped:
    size: gl.constexpr
    items: "NoSuchType"


@mistake("*f32, i32")
def annotation_that_does_not_exist(out, n):
    gl.store(out, Untyped(4, n).items)


@hocket.aggregate
class Animal:
    legs: gl.tensor

    @hocket.jit
    def steps(self):
        return self.legs * 2


@hocket.aggregate
class Dog(Animal):
    @hocket.jit
    def runs(self):
        return super().stps() + 1

    @hocket.jit
    def takes_a_field(self):
        return super().legs

    @hocket.jit
    def names_its_class(self):
        return super(Dog, self).steps()  # noqa: UP008

    @hocket.jit
    def keeps_it(self):
        base = super()
        return base.steps()


@hocket.jit
def no_method(x):
    return super().steps()


@mistake("i32")
def super_without_such_a_method(n):
    Dog(n).runs()


@mistake("i32")
def super_for_a_field(n):
    Dog(n).takes_a_field()


@mistake("i32")
def super_with_arguments(n):
    Dog(n).names_its_class()


@mistake("i32")
def super_by_another_name(n):
    Dog(n).keeps_it()


@mistake("i32")
def super_outside_of_a_method(n):
    no_method(Dog(n))


@mistake("i32")
def super_in_the_kernel(n):
    super().steps()


@hocket.aggregate
class Vector:
    a: gl.tensor
    b: gl.tensor

    @jit
    def __add__(self, other):
        return Vector(self.a + other.a, self.b + other.b)


@mistake("*f32, i32")
def operator_of_an_aggregate(out, n):
    gl.store(out, (Vector(n, 1) + Vector(2, n)).a)


@mistake("*f32, i32")
def unpacking_an_aggregate(out, n):
    a, b = Vector(n, 1)
    gl.store(out + a, b)


@mistake("*f32, i32")
def replacing_a_field_of_one_letter(out, n):
    gl.store(out, hocket.aggregate_replace(Vector(n, 1), c=2).a)


# Other wrappers of functions -----------------------------------------------------------------------------------------


@hocket.autotune([hocket.Config({"BLOCK": 64}), hocket.Config({"BLOCK": 128})])
@hocket.jit
def tuned_fill(out, BLOCK: gl.constexpr):
    gl.store(out + gl.arange(0, BLOCK), 1.0)


@mistake("*f32")
def tuned_kernel_in_a_kernel(out):
    tuned_fill(out)


# Classes that are none -----------------------------------------------------------------------------------------------


class NotDecorated:
    def __init__(self, index):
        self.index = index


@dataclasses.dataclass
class ADataclass:
    index: gl.tensor
    size: gl.constexpr = 4


@mistake("*f32, i32")
def class_without_the_decorator(out, n):
    gl.store(out + NotDecorated(n).index, 1.0)


@mistake("*f32, i32")
def dataclass_in_place_of_an_aggregate(out, n):
    gl.store(out + ADataclass(index=n).index, 1.0)
