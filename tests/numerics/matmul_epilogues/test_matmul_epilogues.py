"""hocket.kernels.matmul with functions as epilogues against float64: examples/epilogues.py in every form of the kernel,
with edges, batches, split-K, and arrays that TMA cannot address."""

import collections
import dataclasses
import re

import epilogues
import ml_dtypes
import numpy as np
import ptxas
import pytest
from epilogues_reference import assert_outputs, cases

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.kernels import matmul
from hocket.kernels._common import user_functions
from hocket.kernels._epilogue import host as host_epilogue
from hocket.kernels._epilogue import host_hopper as host_epilogue_hopper
from hocket.kernels._matmul import activation, host_nvidia
from hocket.kernels._matmul import host as matmul_host
from hocket.kernels._matmul.plan_hopper import TILES, choose_hopper_plan
from hocket.kernels._matmul.plan_narrow import MOST_COLUMNS

pytestmark = pytest.mark.usefixtures("unoptimized")

SHARED_BYTES = 232448
NAMES = tuple(cases(np.random.default_rng(0), 1, 32))
#: A tile whose rows two warpgroups split (cooperative), one for ping-pong, one with three accumulators, a small one.
FORMS = (TILES[0], TILES[2], TILES[3], TILES[8])


def operands(rng, m, n, k, batch=(), batch_of_b=None, dtype="float16"):
    """Returns A and B, such that elements of A x B are about 1."""
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    shapes = (*batch, m, k), (*(batch if batch_of_b is None else batch_of_b), k, n)
    return [(rng.standard_normal(shape) * k**-0.25).astype(kind) for shape in shapes]


def exact(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


def on_device(device, arguments):
    return tuple(device.to_device(x) if isinstance(x, np.ndarray) else x for x in arguments)


def run(device, a, b, case, **options):
    """Returns the outputs of a Case."""
    options = case.options(b.shape[-1]) | options
    results = matmul(*on_device(device, (a, b)), **options, epilogue_args=on_device(device, case.args))
    return [device.to_host(result) for result in results]


def plan_for(tile, m, n, k, bits=16, **changes):
    return dataclasses.replace(choose_hopper_plan(m, n, k, 1, 16, bits, SHARED_BYTES, 132, tile=tile), **changes)


@pytest.mark.parametrize("tile", FORMS, ids=lambda tile: f"{tile} {tile.consumers} {tile.ping_pong}")
@pytest.mark.parametrize("name", NAMES)
def test_examples(hopper_device, name, tile):
    """CTAs take several tiles, and tiles at the edges stick out."""
    m, n, k = 2 * tile.m + 8, tile.n + 32, 72
    rng = np.random.default_rng(1)
    a, b = operands(rng, m, n, k)
    case = cases(rng, m, n)[name]
    results = run(hopper_device, a, b, case, plan=plan_for(tile, m, n, k, case.bits, blocks=2))
    assert_outputs(name, results, case.expected(exact(a, b)))


@pytest.mark.parametrize("seed", range(8))
def test_drawn_sizes(hopper_device, monkeypatch, seed):
    """The plan of the rule, for few rows, too."""
    monkeypatch.setattr(host_nvidia, "narrow_order", lambda gemm: gemm.out.rows <= MOST_COLUMNS or None)
    rng = np.random.default_rng([9, seed])
    m, k = int(2 ** rng.uniform(0, 8.5)), int(2 ** rng.uniform(0, 8))
    n = int(rng.integers(1, 300)) if seed % 2 else 32 * int(rng.integers(1, 10))
    dtype = str(rng.choice(["float16", "bfloat16"]))
    a, b = operands(rng, m, n, k, dtype=dtype)
    for name, case in cases(rng, m, n, dtype).items():
        assert_outputs(name, run(hopper_device, a, b, case), case.expected(exact(a, b)))


@pytest.mark.parametrize("name", ["bias and GELU", "residual", "with and without GELU"])
@pytest.mark.parametrize("n", [97, 130, 204])
def test_outputs_that_tma_cannot_store(hopper_device, name, n):
    m, k = 141, 48
    rng = np.random.default_rng(n)
    a, b = operands(rng, m, n, k)
    case = cases(rng, m, n)[name]
    assert_outputs(name, run(hopper_device, a, b, case), case.expected(exact(a, b)))


@pytest.mark.parametrize("order", ["columns", "apart", "odd address"])
@pytest.mark.parametrize("name", ["bias and GELU", "SwiGLU", "squares"])
def test_given_outputs(hopper_device, name, order):
    """Outputs with contiguous columns, with a gap between rows, and not at a multiple of 16 bytes."""
    m, n, k = 150, 160, 48
    rng = np.random.default_rng(2)
    a, b = operands(rng, m, n, k)
    case = cases(rng, m, n)[name]
    outs = []
    for dtype, factor in zip(case.dtypes, case.factors, strict=True):
        columns = n // factor
        if order == "columns":
            out = hopper_device.to_device(np.zeros((columns, m), dtype)).T
        elif order == "apart":
            out = hopper_device.to_device(np.zeros((m, columns + 7), dtype))[:, :columns]
        else:
            out = hopper_device.to_device(np.zeros(m * columns + 1, dtype))[1:].reshape(m, columns)
        outs.append(out)
    arrays = on_device(hopper_device, (a, b))
    results = matmul(
        *arrays, tuple(outs), epilogue=case.function, epilogue_args=on_device(hopper_device, case.args)
    )  # fmt: skip
    assert all(result is out for result, out in zip(results, outs, strict=True))
    assert_outputs(name, [hopper_device.to_host(out) for out in outs], case.expected(exact(a, b)))


@pytest.mark.parametrize("name", ["residual", "squares", "SwiGLU"])
def test_split_k(hopper_device, monkeypatch, name):
    """The CTA that adds up the splits applies the function. The bits are the same in each run."""
    counters = hopper_device.to_device(np.zeros(512, np.int32))
    monkeypatch.setattr(host_epilogue_hopper, "counters_for", lambda array: counters)
    host_epilogue._launches.clear()
    m, n, k = 136, 160, 64 * 7 - 24
    rng = np.random.default_rng(3)
    a, b = operands(rng, m, n, k)
    case = cases(rng, m, n)[name]
    plan = plan_for(TILES[7], m, n, k, splits=3, blocks=4)
    results = [run(hopper_device, a, b, case, plan=plan) for _ in range(2)]
    assert_outputs(name, results[0], case.expected(exact(a, b)))
    assert all(np.array_equal(*pair) for pair in zip(*results, strict=True))
    assert (hopper_device.to_host(counters) == 0).all()


@pytest.mark.parametrize("batch_of_b", [(3,), ()], ids=["batch of B", "one B"])
@pytest.mark.parametrize("name", ["residual", "scales", "squares", "SwiGLU"])
def test_batch(hopper_device, name, batch_of_b):
    """Rows of all matrices are numbered one after another."""
    m, n, k = 70, 96, 40
    rng = np.random.default_rng(4)
    a, b = operands(rng, m, n, k, (3,), batch_of_b)
    case = cases(rng, 3 * m, n)[name]
    results = run(hopper_device, a, b, case)
    expected = case.expected(exact(a, b).reshape(3 * m, n))
    assert all(result.shape[:2] == (3, m) for result in results)
    assert_outputs(name, [result.reshape(3 * m, -1) for result in results], expected)


@pytest.mark.parametrize("name", NAMES)
def test_few_rows(hopper_device, monkeypatch, name):
    """The kernel computes B^T x A^T, but the function gets the subtile of A x B."""
    monkeypatch.setattr(host_nvidia, "narrow_order", lambda gemm: True)
    host_epilogue._launches.clear()
    m, n, k = 11, 224, 72
    rng = np.random.default_rng(5)
    a, b = operands(rng, m, n, k)
    case = cases(rng, m, n)[name]
    assert_outputs(name, run(hopper_device, a, b, case), case.expected(exact(a, b)))
    host_epilogue._launches.clear()


@pytest.mark.parametrize("name", ["bias and GELU", "SwiGLU", "squares"])
def test_few_rows_and_outputs_with_contiguous_columns(hopper_device, monkeypatch, name):
    """The kernel computes B^T x A^T, and TMA stores the transposes of outputs, which have fewer rows than B^T x A^T."""
    monkeypatch.setattr(host_nvidia, "narrow_order", lambda gemm: True)
    host_epilogue._launches.clear()
    m, n, k = 16, 224, 72
    rng = np.random.default_rng(5)
    a, b = operands(rng, m, n, k)
    case = cases(rng, m, n)[name]
    forms = zip(case.dtypes, case.factors, strict=True)
    outs = tuple(hopper_device.to_device(np.zeros((n // factor, m), dtype)).T for dtype, factor in forms)
    arguments = on_device(hopper_device, case.args)
    matmul(*on_device(hopper_device, (a, b)), outs, epilogue=case.function, epilogue_args=arguments)
    assert_outputs(name, [hopper_device.to_host(out) for out in outs], case.expected(exact(a, b)))
    host_epilogue._launches.clear()


@pytest.mark.parametrize("tile", FORMS, ids=lambda tile: f"{tile} {tile.consumers} {tile.ping_pong}")
def test_an_output_may_be_an_argument(hopper_device, tile):
    """The residual is replaced by the sum: each element is loaded before it is stored. No tile sticks out, because
    loads past the end would race with stores of the last row."""
    m, n, k = 2 * tile.m, tile.n, 48
    rng = np.random.default_rng(6)
    a, b = operands(rng, m, n, k)
    residual = rng.standard_normal((m, n)).astype(np.float16)
    out = hopper_device.to_device(residual.copy())
    plan = plan_for(tile, m, n, k, blocks=2)
    arrays = on_device(hopper_device, (a, b))
    matmul(*arrays, out, epilogue=epilogues.add_residual, epilogue_args=(out, n), plan=plan)
    np.testing.assert_allclose(hopper_device.to_host(out), exact(a, b) + residual, rtol=2e-3, atol=2e-3)


def test_the_bias_is_added_before(hopper_device):
    m, n, k = 80, 96, 40
    rng = np.random.default_rng(6)
    a, b = operands(rng, m, n, k)
    bias = rng.standard_normal(n).astype(np.float32)
    given = on_device(hopper_device, (a, b))
    result = matmul(*given, bias=hopper_device.to_device(bias), epilogue=epilogues.swiglu, out_columns=n // 2)
    case = cases(rng, m, n)["SwiGLU"]
    assert_outputs("SwiGLU", [hopper_device.to_host(result)], case.expected(exact(a, b) + bias))


@pytest.mark.parametrize("name", ["relu", "silu", "gelu_tanh"])
def test_activations_are_functions(hopper_device, name):
    """The functions of Hocket's activations return the same bits as `activation`."""
    rng = np.random.default_rng(7)
    a, b = on_device(hopper_device, operands(rng, 136, 264, 88))
    bias = hopper_device.to_device(rng.standard_normal(264).astype(np.float16))
    results = [
        matmul(a, b, bias=bias, activation=name),
        matmul(a, b, bias=bias, epilogue=activation.FUNCTIONS[name]),
    ]
    assert np.array_equal(*[hopper_device.to_host(result).view(np.int16) for result in results])


@hocket.jit
def indices(acc, row, column, N):
    return acc * 0.0 + (row * N + column).to(gl.float32)


@pytest.mark.parametrize("size", [(1, 1), (65, 40), (200, 136), (77, 51)], ids=str)
def test_indices(hopper_device, size):
    m, n = size
    a, b = on_device(hopper_device, operands(np.random.default_rng(8), m, n, 24))
    result = matmul(a, b, epilogue=indices, epilogue_args=(n,), out_dtype="float32")
    assert np.array_equal(hopper_device.to_host(result), np.arange(m * n).reshape(m, n))


@hocket.jit
def rounded(acc, row, column):
    return gl.clamp(gl.floor(acc + 0.5), -128.0, 127.0).to(gl.int8), (acc > 0).to(gl.int32)


def test_integers(hopper_device):
    a, b = operands(np.random.default_rng(9), 70, 136, 24)
    results = matmul(*on_device(hopper_device, (a * 8, b * 8)), epilogue=rounded, out_dtype=("int8", "int32"))
    expected = exact(a * 8, b * 8)
    narrow, positive = (hopper_device.to_host(result) for result in results)
    assert narrow.dtype == np.int8 and positive.dtype == np.int32
    assert (np.abs(narrow - np.clip(expected, -128, 127)) <= 0.501).all()
    assert np.array_equal(positive, expected > 0)


@pytest.mark.parametrize("width", [16, 64])
def test_constants(hopper_device, width):
    """An argument of a gl.constexpr parameter is known at compile time."""
    a, b = operands(np.random.default_rng(11), 70, 128, 24)
    given = on_device(hopper_device, (a, b))
    options = {"out_dtype": ("float16", "float32"), "out_columns": (128, 128 // width)}
    _, sums = matmul(*given, epilogue=epilogues.squares, epilogue_args=(width,), **options)
    expected = (exact(a, b).reshape(70, 128 // width, width) ** 2).sum(axis=2)
    np.testing.assert_allclose(hopper_device.to_host(sums), expected, rtol=1e-4)


@hocket.jit
def scaled_by_all(acc, row, column, *factors, BITS: gl.constexpr = 1):
    for factor in factors:
        acc = acc * factor
    return acc * BITS


def test_numbers_beside_a_keyword_constant(hopper_device):
    """The arguments in `*factors` are known at run time, so other values need no other kernel."""
    a, b = operands(np.random.default_rng(8), 40, 64, 32)
    arrays = on_device(hopper_device, (a, b))
    for factors in ((0.5, 2), (0.25, 3)):
        out = matmul(*arrays, epilogue=scaled_by_all, epilogue_args=factors, out_dtype="float32")
        np.testing.assert_allclose(hopper_device.to_host(out), exact(a, b) * np.prod(factors), rtol=1e-4, atol=1e-4)
    assert user_functions.constants_among(scaled_by_all, 3, 2) == ()


@pytest.mark.parametrize("batch", [(), (2,)], ids=["matrix", "batch"])
def test_no_k(hopper_device, batch):
    """The function gets 0 as A x B."""
    a, b = np.zeros((*batch, 40, 0), np.float16), np.zeros((*batch, 0, 64), np.float16)
    bias = np.arange(64).astype(np.float32)
    result = matmul(
        *on_device(hopper_device, (a, b)), epilogue=epilogues.bias_gelu,
        epilogue_args=on_device(hopper_device, (bias,)), out_dtype="float32",
    )  # fmt: skip
    expected = np.broadcast_to(epilogues.exact_gelu(bias.astype(np.float64)), (*batch, 40, 64))
    np.testing.assert_allclose(hopper_device.to_host(result), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("m, n", [(0, 64), (40, 0)])
def test_no_elements(hopper_device, m, n):
    a, b = np.zeros((m, 16), np.float16), np.zeros((16, n), np.float16)
    product, sums = matmul(
        *on_device(hopper_device, (a, b)), epilogue=epilogues.squares, out_dtype=("float16", "float32"),
        out_columns=(n, n // 32),
    )  # fmt: skip
    assert product.shape == (m, n) and sums.shape == (m, n // 32)


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "late"), (3, "now"), (7, "random")])
@pytest.mark.parametrize("more", [32, 12], ids=["both by TMA", "one by lanes"])
@pytest.mark.parametrize("tile", FORMS[:3], ids=str)
def test_every_schedule_gives_the_same(tile, more, seed, completion):
    """Two outputs share the staging buffers of both warpgroups."""
    m, n, k = 2 * tile.m + 8, tile.n + more, 136
    rng = np.random.default_rng(10)
    a, b = operands(rng, m, n, k)
    case = cases(rng, m, n)["with and without GELU"]
    results = []
    for options in ({}, {"seed": seed, "completion": completion}):
        with emulator.target("sm_90a", **options):
            plan = plan_for(tile, m, n, k, 32, blocks=2, stages=3)
            outs = tuple(emulator.empty((m, n), kind) for kind in (np.float16, np.float32))
            results.append(matmul(a, b, outs, epilogue=case.function, plan=plan))
    assert_outputs("with and without GELU", results[0], case.expected(exact(a, b)))
    assert all(np.array_equal(*pair) for pair in zip(*results, strict=True))


def code_of(host, call):
    """Returns the PTX of the kernel that `call` launches; `host`: the module whose launch is compiled instead."""
    kernels = []
    launcher = host.matmul_by_partitions

    class Compiles:
        def __getitem__(self, grid):
            return lambda *args, **options: kernels.append(
                launcher.warmup(*args, **options, grid=grid, target="sm_90a")
            )

    with pytest.MonkeyPatch.context() as patch, emulator.target("sm_90a"):
        patch.setattr(host, "matmul_by_partitions", Compiles())
        for cache in (host_epilogue._launches, matmul_host._launches):
            cache.clear()
        call()
        for cache in (host_epilogue._launches, matmul_host._launches):
            cache.clear()
    return kernels[0].asm["ptx"]


def code_of_case(tile, name, m=512, n=512, k=512):
    rng = np.random.default_rng(0)
    a, b = operands(rng, m, n, k)
    case = cases(rng, m, n)[name]
    options = {**case.options(n), "epilogue_args": case.args, "plan": plan_for(tile, m, n, k, case.bits)}
    return code_of(host_epilogue_hopper, lambda: matmul(a, b, **options))


def instructions(code):
    """Returns the numbers of instructions by name, except those that move registers and compute addresses."""
    names = re.findall(r"^\s+(?:@%p\d+ )?([a-z][a-z0-9_.]*)\s[^;\n]*;", code, re.MULTILINE)
    kept = r"ex2|rsqrt|cvt\.rn|stmatrix|wgmma|fma|mul\.f32|mul\.rn|max|ld\.global|bar\.|mbarrier|cp\.async"
    return collections.Counter(name for name in names if re.match(kept, name))


@pytest.mark.parametrize("tile", FORMS[:3], ids=str)
@pytest.mark.parametrize("name", ["relu", "silu", "gelu_tanh"])
def test_functions_have_the_instructions_of_activations(name, tile):
    a, b = operands(np.random.default_rng(0), 512, 512, 512)
    options = {"bias": np.zeros(512, np.float32), "plan": plan_for(tile, 512, 512, 512)}
    expected = code_of(host_nvidia, lambda: matmul(a, b, activation=name, **options))
    found = code_of(host_epilogue_hopper, lambda: matmul(a, b, epilogue=activation.FUNCTIONS[name], **options))
    assert instructions(found) == instructions(expected)


@ptxas.needed
@pytest.mark.parametrize(
    "name, tile", [("residual", TILES[0]), ("SwiGLU", TILES[3]), ("squares", TILES[2]), ("float8 of groups", TILES[0])],
    ids=lambda value: str(value),
)  # fmt: skip
def test_the_assembler_warns_of_nothing(name, tile):
    """ptxas must not warn of serialized wgmmas or ignored register budgets."""
    assert "Performance Loss" not in ptxas.messages(code_of_case(tile, name))
