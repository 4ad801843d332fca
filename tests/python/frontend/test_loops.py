"""`for` over range and static_range, `while`, and what loops carry."""

import pytest

import hocket.language as gl

pytestmark = pytest.mark.quick


def accumulate(x, out, n):
    total = 0.0
    count = 0
    for i in range(n):
        value = gl.load(x + i)
        total += value
        if value > 1.0:
            count += 1
    gl.store(out, total + count)


def test_carried_values(emit, check):
    check(
        emit(accumulate, "*f32, *f32, i32"),
        """
        scf.for {{.*}} to %arg2 step {{.*}} iter_args(%{{.*}} = %cst, %{{.*}} = %c0{{.*}}) -> (f32, i32){{.*}} : i32 {
          arith.addf
          scf.if {{.*}} -> (i32)
          scf.yield %{{.*}}, %{{.*}} : f32, i32
        }
        arith.sitofp
        """,
    )


def bounds_of_two_types(out, n, m):
    for i in range(n, m):
        gl.store(out + i, 1.0)


def test_the_variable_has_the_promoted_type_of_the_bounds(emit, check):
    check(emit(bounds_of_two_types, "*f32, i32, i64"), "arith.extsi %arg1 : i32 to i64\n: i64 {")
    check(emit(bounds_of_two_types, "*f32, u32, u32"), "scf.for unsigned")


def backward(out, n):
    for i in range(n, 0, -2):
        gl.store(out + i, 1.0)


def test_negative_step(emit, check):
    check(
        emit(backward, "*f32, i32"),
        """
        scf.for %arg2 = %c0
          arith.addi
          arith.subi %{{.*}}, %arg2
        """,
    )


def either_direction(out, n, step):
    for i in range(0, n, step):
        gl.store(out + i, 1.0)


def test_the_sign_of_a_run_time_step_selects_bounds_and_variable(emit, check):
    check(
        emit(either_direction, "*f32, i32, i32"),
        """
        arith.cmpi slt, %arg2
        arith.select
        scf.for %arg3
          arith.subi %{{.*}}, %arg3
          arith.select
        """,
    )
    assert "slt" not in emit(either_direction, "*f32, i32, u32")


def persistent(out, n):
    for i in range(gl.program_id(0), n, gl.num_programs(0) * 2):
        gl.store(out + i, 1.0)


def test_a_step_that_is_visibly_positive_costs_nothing(emit):
    assert "arith.select" not in emit(persistent, "*f32, i32")


def nested(out, n):
    a = 0
    for i in range(n):
        for j in range(n):
            for _ in range(n):
                for _ in range(n):
                    for _ in range(n):
                        for _ in range(n):
                            for _ in range(n):
                                for _ in range(n):
                                    a += i * j
    gl.store(out, a)


def test_nested_bodies_are_emitted_once(emit):
    ir = emit(nested, "*i32, i32")
    assert ir.count("scf.for") == 8
    assert ir.count("arith.muli") == 1


def unrolled(out):
    total = 0
    for i in gl.static_range(4):
        size: gl.constexpr = 2**i
        total += gl.sum(gl.arange(0, 32 * size, layout=gl.BlockedLayout([1], [32], [4], [0])))
    for i in gl.static_range(3, 0, -1):
        total += i
    gl.store(out, total)


def test_static_range_is_unrolled_with_known_indices(emit, check):
    ir = emit(unrolled, "*i32")
    check(ir, "0 to 32 \n0 to 64 \n0 to 128 \n0 to 256 \narith.constant 3 : i32\narith.constant 2 : i32")
    assert "scf.for" not in ir


def temporaries(out, n):
    for i in range(n):
        value = i * 2
        gl.store(out + i, value)
    for i in range(n):
        value = 1.5
        gl.store(out + i, value)


def test_names_first_bound_inside_are_not_carried(emit):
    assert "iter_args" not in emit(temporaries, "*f32, i32")


def halving(out, n):
    steps = 0
    while n > 1 and steps < 10:
        n //= 2
        steps += 1
    gl.store(out, steps)


def test_while(emit, check):
    check(
        emit(halving, "*i32, i32"),
        """
        scf.while
          arith.andi
          scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : i32, i32
        } do {
          arith.divsi
          scf.yield
        }
        hk.store %arg0, %{{[0-9]+}}#
        """,
    )


def walrus(x, out):
    i = 0
    while (value := gl.load(x + i)) > 0.0:
        gl.store(out + i, value)
        i += 1


def test_names_bound_by_the_condition_reach_the_body(emit, check):
    check(
        emit(walrus, "*f32, *f32"),
        """
        scf.while (%{{.*}} = %c0{{.*}}) : (i32) -> (f32, i32)
          hk.load
          scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : f32, i32
        } do {
        ^bb0(%{{.*}}: f32, %{{.*}}: i32):
          hk.store
        """,
    )


def never(out, N: gl.constexpr):
    while N > 4:
        gl.store(out, 1.0)


def test_a_condition_that_is_false_at_compile_time_drops_the_loop(emit):
    assert "scf.while" not in emit(never, "*f32", N=1)


def parameter_changes(out, n, N: gl.constexpr):
    for _ in range(n):
        N = N * 2
    gl.store(out, N)


def test_a_known_number_that_changes_in_a_loop_becomes_a_run_time_value(emit, check):
    check(emit(parameter_changes, "*i32, i32", N=3), "iter_args(%{{.*}} = %c3")
