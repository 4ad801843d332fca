"""Values that do not fit the branches and loops they go through."""

from cases import jit, mistake

import hocket.language as gl


@mistake("*f32, i32")
def branches_of_different_types(out, n):
    if n > 0:
        value = 1.0
    else:
        value = 1
    gl.store(out, value)


@mistake("*f16, *f32, i32")
def carried_value_changes_type(x, out, n):
    total = 0
    for i in range(n):
        total += gl.load(x + i)
    gl.store(out, total)


@mistake("*f32, i32")
def carried_value_changes_layout(out, n):
    rows: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    columns: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    total = gl.zeros([512], gl.float32, rows)
    for _ in range(n):
        total = gl.zeros([512], gl.float32, columns)
    gl.store(out + gl.arange(0, 512, rows), total)


@mistake("*f32, i32")
def conditional_expression_of_two_types(out, n):
    value = 1.0 if n > 0 else 2
    gl.store(out, value)


@mistake("*f32, i32")
def tensor_condition(out, n):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, 128, layout)
    if i < n:
        gl.store(out + i, 1.0)


@mistake("*f32")
def endless_loop(out):
    while True:
        gl.store(out, 1.0)


@mistake("*f32")
def zero_step(out):
    for i in range(0, 10, 0):
        gl.store(out + i, 1.0)


@mistake("*f32")
def zero_static_step(out):
    for i in gl.static_range(0, 10, 0):
        gl.store(out + i, 1.0)


@mistake("*f32, f32")
def float_bound(out, n):
    for i in range(n):
        gl.store(out + i, 1.0)


@mistake("*f32, i32")
def static_range_of_a_runtime_value(out, n):
    for i in gl.static_range(n):
        gl.store(out + i, 1.0)


@mistake("*f32")
def condition_is_a_function(out):
    if gl.num_warps:
        gl.store(out, 1.0)


@jit
def sign(x):
    if x > 0.0:
        return 1
    return -1.0


@mistake("*f32")
def returns_of_different_types(out):
    gl.store(out, sign(gl.load(out)))


@mistake("*f32, i32")
def part_of_a_tuple_changes_its_type(out, n):
    state = (0.0, (n, n))
    for i in range(n):
        state = (state[0], (i, 1.0))
    gl.store(out, state[0])


@mistake("*f32")
def kernel_returns_a_value(out):
    return gl.load(out)


@mistake("*f32, i32")
def inner_loop_hides_a_name(out, n):
    i = gl.program_id(0)
    for j in range(n):
        for i in range(j):
            gl.store(out + i, 1.0)


@mistake("*f32, i32")
def unpacking_the_variable_of_a_range(out, n):
    for i, j in range(n):
        gl.store(out + i, j)


@mistake("*f32, i32")
def loop_that_changes_nothing(x, n):
    while n > 0:
        n = n * 1
    gl.store(x, 1.0)


@mistake("*f32, i32")
def loop_that_changes_another_name(x, n):
    i = 0
    while n > 0:
        gl.store(x + i, 1.0)
        i += 1


@mistake("*f32, *i32")
def loop_that_waits_for_a_value_read_before(x, flag):
    ready = gl.load(flag)
    while ready == 0:
        pass
    gl.store(x, 1.0)


@mistake("*f32")
def unrolled_too_often(out):
    total = 0.0
    for i in gl.static_range(20000):
        total += gl.load(out + i)
    gl.store(out, total)


@mistake("*f32")
def unrolled_too_often_in_all(out):
    total = 0.0
    for i in gl.static_range(0, 1000, 3):
        for j in gl.static_range(100):
            total += gl.load(out + i * j)
    gl.store(out, total)


@mistake("*f32")
def counted_too_far_at_compile_time(out):
    for _ in gl.static_range(-(2**62), 2**62):
        pass
    gl.store(out, 1.0)


@mistake("*f32")
def comprehension_too_long(out):
    values = [0 for _ in range(2**40)]
    gl.store(out, values[0])


@mistake("*f32")
def unrolled_in_too_many_loops(out):
    total = 0.0
    for _ in gl.static_range(15000):
        total += gl.load(out)
    for _ in gl.static_range(15000):
        total += gl.load(out)
    for _ in gl.static_range(15000):
        total += gl.load(out)
    for _ in gl.static_range(15000):
        total += gl.load(out)
    for _ in gl.static_range(15000):
        total += gl.load(out)
    gl.store(out, total)


@mistake("*i32, i32")
def variable_of_two_loops_before_the_second(out, n):
    for p in gl.static_range(2):
        gl.store(out + p, 0)
    for _ in range(n):
        gl.store(out, p)
        for p in gl.static_range(3):
            gl.store(out + p, 1)


@mistake("*i32, i32")
def variable_of_two_loops_after_them(out, n):
    for p in gl.static_range(2):
        gl.store(out + p, 0)
    while gl.load(out) < n:
        for p in gl.static_range(3):
            gl.store(out + p, 1)
    gl.store(out, p)
