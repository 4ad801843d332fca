"""Aggregates that inherit fields, properties and methods from other aggregates."""

import numpy as np

import hocket
from hocket import language as gl


def run(device, kernel, *arguments, size):
    out = device.to_device(np.zeros(size, np.int32))
    kernel[(1,)](*arguments, out)
    return device.to_host(out)


@hocket.aggregate
class Shape:
    width: gl.int32
    height: gl.int32

    @hocket.jit
    def __init__(self, width, tall):
        self.width = width
        if tall > 0:
            self.height = width * 3
        else:
            self.height = 1

    @hocket.jit
    def area(self):
        return self.width * self.height


@hocket.aggregate
class Box(Shape):
    depth: gl.int32
    unit: gl.constexpr = "cm"

    def __init__(self, width, tall, depth):
        super().__init__(width, tall)
        self.depth = depth
        self.depth += self.width

    @hocket.jit
    def volume(self):
        return self.area() * self.depth


@hocket.aggregate
class Cube(Box):
    def __init__(self, width):
        super().__init__(width, 0, width)


@hocket.jit
def inheritance_kernel(n, out):
    gl.store(out, Box(n, 1, 5).volume())
    gl.store(out + 1, Box(n, -1, 5).volume())
    gl.store(out + 2, Cube(n).volume())
    gl.static_assert(Box(n, 1, 5).unit == "cm")
    gl.static_assert(isinstance(Cube(n), Shape))


def test_inheritance(every_device):
    assert run(every_device, inheritance_kernel, 4, size=3).tolist() == [4 * 12 * 9, 4 * 1 * 9, 4 * 1 * 8]


@hocket.aggregate
class Linear:
    slope: gl.tensor
    steps: gl.constexpr

    @hocket.jit
    def at(self, x):
        return self.slope * x

    @hocket.jit
    def twice(self, x, by: gl.constexpr = 2):
        return self.at(x) * by

    @property
    @hocket.jit
    def total(self):
        return self.slope + self.steps

    @staticmethod
    @hocket.jit
    def offset():
        return 100


@hocket.aggregate
class Affine(Linear):
    start: gl.tensor

    @hocket.jit
    def at(self, x):
        return super().at(x) + self.start

    @hocket.jit
    def twice(self, x):
        return super().twice(x, by=3)

    @property
    @hocket.jit
    def total(self):
        return super().total + self.start


@hocket.aggregate
class Shifted(Affine):
    """`super()` searches from the class that defines the method, not from the class of the value."""

    @hocket.jit
    def at(self, x):
        return super().at(x) + super().offset()


@hocket.jit
def super_kernel(slope, start, out):
    line, shifted = Affine(slope, 4, start), Shifted(slope, 4, start)
    gl.store(out, line.at(10))
    gl.store(out + 1, line.twice(10))
    gl.store(out + 2, line.total)
    gl.store(out + 3, shifted.at(10))
    gl.store(out + 4, shifted.twice(10))


def test_methods_of_base_classes(every_device):
    out = run(every_device, super_kernel, 3, 5, size=5)
    assert out.tolist() == [35, 105, 12, 135, 405]
