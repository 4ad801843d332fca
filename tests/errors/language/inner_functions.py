"""Functions and lambdas inside kernels."""

from cases import jit, mistake

import hocket.language as gl


@jit
def adder(n):
    def add(x):
        return x + n

    return add


@mistake("*f32, i32")
def inner_function_returned(out, n):
    gl.store(out, adder(n)(1))


@mistake("*f32, i32")
def inner_function_that_calls_itself(out, n):
    def power(x):
        return power(x) * n

    gl.store(out, power(n))


@mistake("*f32, i32")
def inner_function_without_an_argument(out, n):
    def add(x, y, z=1):
        return x + y + z

    gl.store(out, add(n))


@mistake("*f32, i32")
def inner_function_not_called(out, n):
    def add(x):
        return x + n

    gl.store(out, add)


@mistake("*f32, i32")
def inner_function_with_a_decorator(out, n):
    @jit
    def add(x):
        return x + n

    gl.store(out, add(1))


@mistake("*f32, i32")
def inner_function_reads_a_name_of_one_branch(out, n):
    if n > 0:
        scale = 2

    def scaled(x):
        return x * scale

    gl.store(out, scaled(n))


@mistake("*f32, i32")
def inner_function_with_a_run_time_default(out, n):
    def add(x, y=n):
        return x + y

    gl.store(out, add(1))


@mistake("*f32, i32")
def lambda_with_a_mistake(out, n):
    scale = lambda x: x * missing
    gl.store(out, scale(n))


@mistake("*f32, i32")
def combine_function_reads_the_kernel(out, n):
    i = gl.arange(0, 128, gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(out, gl.reduce(i, 0, lambda a, b: a + b * n))


@jit
def worker(f, out):
    gl.store(out + 1, f(2))


@jit
def default(out):
    gl.store(out, 1.0)


@mistake("*f32, i32")
def inner_function_in_another_partition(out, n):
    def add(x):
        return x + n

    gl.warp_specialize([(default, (out,)), (worker, (add, out))], [1])


@mistake("*f32, i32")
def tuples_compared_by_order(out, n):
    gl.store(out, ((n, 1) < (n, 2)).to(gl.float32))


@mistake("*f32, i32")
def loop_over_a_tensor(out, n):
    i = gl.arange(0, 128, gl.BlockedLayout([1], [32], [4], [0]))
    for value in i:
        gl.store(out, value)


@mistake("*f32, i32")
def unpacking_too_few_in_a_loop(out, n):
    for a, b in ((1, 2), (3,)):
        gl.store(out + a, b)


@mistake("*f32, i32")
def zip_of_different_lengths(out, n):
    for a, b in zip((n, 1), (2, n, 3), strict=True):
        gl.store(out + a, b)


@mistake("*f32, i32")
def inner_function_that_assigns_an_outer_name(out, n):
    total = 0

    def add(x):
        total += x  # noqa: F823

    add(n)
    gl.store(out, total)


@mistake("*f32, i32")
def inner_function_before_its_definition(out, n):
    gl.store(out, add(n))

    def add(x):
        return x + 1


@mistake("*f32, i32")
def inner_function_with_any_keywords(out, n):
    def first(**named):
        return named["x"]

    gl.store(out, first(x=n))


@mistake("*f32")
def combine_function_that_is_a_name(out):
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(out, gl.reduce(i, 0, "add"))


@mistake("*f32, i32")
def combine_function_that_is_a_value(out, n):
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(out + i, gl.associative_scan(i, 0, n))
