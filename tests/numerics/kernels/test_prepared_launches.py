"""Ready kernels whose launches are prepared once per form: repeated calls, and calls whose form changes in one way."""

import gc
import threading
import weakref

import ml_dtypes
import numpy as np
import pytest
from attention_reference import reference

import hocket
from hocket import launch_cache
from hocket.errors import LaunchError
from hocket.kernels import attention, attention_backward, attention_varlen, matmul, matmul_scaled, norms, shuffle_scales
from hocket.kernels._attention import host as attention_host
from hocket.kernels._attention import host_backward, host_varlen
from hocket.kernels._matmul import host as matmul_host
from hocket.kernels._matmul import host_scaled
from hocket.kernels.norms import launch as norms_launch
from hocket.language._layouts.base import Layout

pytestmark = pytest.mark.usefixtures("unoptimized")

#: The module of each cache, and the cache's name in the module.
CACHES = {
    "attention": (attention_host, "_launches"),
    "attention backward": (host_backward, "_launches"),
    "varlen": (host_varlen, "_launches"),
    "matmul": (matmul_host, "_launches"),
    "scaled": (host_scaled, "_launches"),
    "norms": (norms_launch, "forwards"),
    "norms backward": (norms_launch, "backwards"),
}


@pytest.fixture(autouse=True)
def preparations(monkeypatch):
    """The names of the caches that have prepared a launch, in order."""
    names = []

    def counted(name, prepare):
        def prepare_and_count(*arguments):
            names.append(name)
            return prepare(*arguments)

        return prepare_and_count

    for name, (module, attribute) in CACHES.items():
        cache = getattr(module, attribute)
        empty = launch_cache.LaunchCache(counted(name, cache.prepare), cache.alignment)
        monkeypatch.setattr(module, attribute, empty)
    return names


STARTS = np.array([0, 4], np.int32)


def random(seed, *shape, dtype=np.float32):
    """Normal numbers at a multiple of 64 bytes: arrays at other addresses may have another form."""
    values = np.random.default_rng(seed).standard_normal(shape).astype(dtype)
    memory = np.empty(values.nbytes + 64, np.uint8)
    start = -memory.ctypes.data % 64
    aligned = memory[start : start + values.nbytes].view(dtype).reshape(shape)
    aligned[...] = values
    return aligned


def normalized(x, weight, eps=1e-6):
    x = x.astype(np.float64)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


def varlen(seed):
    starts = np.array([0, 5, 12], np.int32)
    q, k, v = (random(seed + i, 12, 1, 64, dtype=np.float16) for i in range(3))
    return attention_varlen(q, k, v, starts, starts, 7)


def gradients_of_attention(seed):
    q, k, v, do = random(seed, 4, 1, 1, 20, 64, dtype=np.float16)
    out, lse = attention(q, k, v, return_lse=True)
    return attention_backward(do, q, k, v, out, lse)


def scaled(seed):
    a, b = (random(seed + i, 32, 128, dtype=ml_dtypes.float8_e4m3fn) for i in range(2))
    scales = shuffle_scales(np.full((32, 4), 127, np.uint8))
    return matmul_scaled(a, scales, b.T, scales, out_dtype="float32")


def layer_norm_backward(seed):
    x, dy = random(seed, 4, 64), random(seed + 1, 4, 64)
    _, mean, rstd = norms.layer_norm(x, x[0], x[1], return_statistics=True)
    return norms.layer_norm_backward(dy, x, x[0], mean, rstd, residual_gradient=dy)


#: For each call: the target, the caches that it uses, and a function of a seed.
CALLS = {
    "rms_norm": ("sm_90a", ["norms"], lambda seed: norms.rms_norm(random(seed, 4, 64), random(1, 64))),
    "layer_norm": ("gfx950", ["norms"], lambda seed: norms.layer_norm(random(seed, 4, 64), random(1, 64))),
    "residual": ("sm_90a", ["norms"], lambda seed: norms.rms_norm(random(seed, 4, 64), residual=random(1, 4, 64))),
    "backward": ("sm_90a", ["norms", "norms backward"], layer_norm_backward),
    "attention": ("sm_90a", ["attention"], lambda seed: attention(*random(seed, 3, 1, 1, 20, 64, dtype=np.float16))),
    "attention, CDNA": (
        "gfx942",
        ["attention"],
        lambda seed: attention(*random(seed, 3, 1, 1, 20, 64, dtype=np.float16), causal=True),
    ),
    "decode": (
        "sm_90a",
        ["attention"],
        lambda seed: attention(random(seed, 1, 2, 1, 64, dtype=np.float16), *random(1, 2, 1, 1, 90, 64).astype("f2")),
    ),
    "attention backward": ("sm_90a", ["attention", "attention backward"], gradients_of_attention),
    "varlen": ("gfx950", ["varlen"], varlen),
    "varlen, Hopper": ("sm_90a", ["varlen"], varlen),
    "matmul": ("sm_90a", ["matmul"], lambda seed: matmul(*random(seed, 2, 32, 32, dtype=np.float16))),
    "matmul, CDNA": ("gfx950", ["matmul"], lambda seed: matmul(*random(seed, 2, 32, 32, dtype=np.float16))),
    "matmul_scaled": ("gfx950", ["scaled"], scaled),
}


def arrays_of(result):
    return [array for array in (result if isinstance(result, tuple) else (result,)) if array is not None]


@pytest.mark.parametrize("call", CALLS)
def test_a_repeated_call_is_not_prepared_again(call, preparations):
    """The result is equal, to the last bit, to that of a call with an empty cache."""
    target, caches, run = CALLS[call]
    with hocket.emulator.target(target):
        run(1)
        assert preparations == caches
        repeated = arrays_of(run(2))
        assert preparations == caches
        for name in caches:
            getattr(*CACHES[name]).clear()
        fresh = arrays_of(run(2))
    assert preparations == caches * 2
    for one, other in zip(repeated, fresh, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one is not other


@pytest.mark.parametrize("call", CALLS)
def test_repeated_launches_neither_hash_nor_compare_layouts(call, monkeypatch):
    """Both take longer than a launch. The forms of the first and the second call have a kernel in common."""
    target, caches, run = CALLS[call]
    with hocket.emulator.target(target):
        run(1)
        for name in caches:
            getattr(*CACHES[name]).clear()
        run(2)
        monkeypatch.setattr(Layout, "_key", lambda layout: pytest.fail(f"{layout} was hashed or compared"))
        run(3)


def test_prepared_launches_hold_no_array():
    calls = {
        "sm_90a": (
            lambda *arrays: attention(*arrays),
            lambda q, k, v: matmul(q[0, 0], k[0, 0].T),
            lambda q, k, v: norms.rms_norm(q, residual=k),
        ),
        "gfx950": (
            lambda *arrays: attention(*arrays),
            lambda q, k, v: attention_varlen(q[0], k[0], v[0], STARTS, STARTS, 4),
            lambda q, k, v: matmul(q[0, 0], k[0, 0].T),
        ),
    }
    for target, functions in calls.items():
        for function in functions:
            with hocket.emulator.target(target):
                arrays = [random(seed, 1, 4, 1, 64, dtype=np.float16) for seed in range(3)]
                alive = [weakref.ref(array) for array in arrays]
                function(*arrays)
            del arrays
            gc.collect()
            assert [reference() for reference in alive] == [None] * 3


#: Calls of `norms.rms_norm` that differ from the first one in their form, and calls of this form.
OTHER_NORMS = {
    "other rows": lambda x, w: norms.rms_norm(x[:3], w),
    "other strides": lambda x, w: norms.rms_norm(np.tile(x, 2)[:, :64], w),
    "another dtype": lambda x, w: norms.rms_norm(x.astype(np.float16), w),
    "no weight": lambda x, w: norms.rms_norm(x),
    "a weight of another dtype": lambda x, w: norms.rms_norm(x, w.astype(np.float16)),
    "a weight offset": lambda x, w: norms.rms_norm(x, w, weight_offset=1.0),
    "a residual": lambda x, w: norms.rms_norm(x, w, residual=x),
    "an output": lambda x, w: norms.rms_norm(x, w, out=np.empty_like(x)),
    "statistics": lambda x, w: norms.rms_norm(x, w, return_statistics=True),
    "a variant": lambda x, w: norms.rms_norm(x, w, schedule="streaming"),
    "layer_norm": lambda x, w: norms.layer_norm(x, w),
}


def in_block(x, w):
    with norms.force_schedule("streaming"):
        return norms.rms_norm(x, w)


def in_thread_beside_block(x, w):
    results = []
    with norms.force_schedule("streaming"):
        thread = threading.Thread(target=lambda: results.append(norms.rms_norm(x, w)))
        thread.start()
        thread.join()
    return results[0]


def on_another_gpu(x, w):
    with hocket.emulator.target("gfx950"):
        return norms.rms_norm(x, w)


@pytest.mark.parametrize(
    "other", [*OTHER_NORMS.values(), in_block, in_thread_beside_block, on_another_gpu],
    ids=[*OTHER_NORMS, "a block", "a block of another thread", "another GPU"],
)  # fmt: skip
def test_norms_of_other_forms_are_prepared(other, preparations):
    x, w = random(0, 4, 64), random(1, 64)
    expected = norms.rms_norm(x, w)
    other(x, w)
    assert len(preparations) == 2
    np.testing.assert_array_equal(norms.rms_norm(x, w), expected)
    other(x, w)
    assert len(preparations) == 2


def test_eps_does_not_belong_to_the_form(preparations):
    x, w = random(0, 4, 64), random(1, 64)
    for eps in (1e-6, 1.0, 3, np.float32(0.5)):
        np.testing.assert_allclose(norms.rms_norm(x, w, eps), normalized(x, w, float(eps)), rtol=1e-5, atol=1e-5)
    assert preparations == ["norms"]


def test_a_changed_environment(set_norm_schedule, preparations):
    x = random(0, 4, 64)
    norms.rms_norm(x)
    set_norm_schedule("streaming")
    norms.rms_norm(x)
    assert preparations == ["norms"] * 2


@pytest.mark.parametrize("scale", [None, 0.25, 1, np.float32(2.0), 0.0])
def test_scales_of_attention_share_a_form(scale, preparations):
    q, k, v = random(0, 3, 1, 1, 20, 64, dtype=np.float16)
    attention(q, k, v, scale=0.125)
    result = attention(q, k, v, scale=scale)
    expected, _ = reference(q, k, v, False, scale if scale is None else float(scale))
    np.testing.assert_allclose(result.astype(np.float64), expected, atol=4e-3)
    assert preparations == ["attention"]


def test_the_sign_of_the_scale_belongs_to_the_form(preparations):
    q, k, v = random(0, 3, 1, 1, 20, 64, dtype=np.float16)
    with hocket.emulator.target("gfx950"):
        for scale in (0.125, -0.125):
            expected, _ = reference(q, k, v, False, scale)
            np.testing.assert_allclose(attention(q, k, v, scale=scale).astype(np.float64), expected, atol=4e-3)
    assert preparations == ["attention"] * 2


OTHER_ATTENTIONS = {
    "causal": {"causal": True},
    "logarithms": {"return_lse": True},
    "pipelined": {"pipelined": False},
}


@pytest.mark.parametrize("options", OTHER_ATTENTIONS.values(), ids=OTHER_ATTENTIONS)
def test_attention_of_other_forms_is_prepared(options, preparations):
    q, k, v = random(0, 3, 1, 1, 20, 64, dtype=np.float16)
    attention(q, k, v)
    attention(q, k, v, **options)
    assert len(preparations) == 2


def test_an_array_that_is_not_aligned_is_refused_after_one_that_is():
    memory = np.zeros(20 * 64 + 8, np.float16)
    q, k, v = random(0, 3, 1, 1, 20, 64, dtype=np.float16)
    first = -memory.ctypes.data % 16 // 2
    aligned, other = (memory[first + i : first + i + 20 * 64].reshape(q.shape) for i in (0, 1))
    attention(aligned, k, v)
    with pytest.raises(LaunchError, match="but q begins 2 bytes after one"):
        attention(other, k, v)


#: A valid call, a call that differs from it in one mistake, and the message.
MISTAKES = {
    "a flag": (
        lambda x: norms.rms_norm(x, return_statistics=True),
        lambda x: norms.rms_norm(x, return_statistics=1.0),
        "rms_norm: return_statistics must be True or False, not 1.0",
    ),
    "an offset": (
        lambda x: norms.rms_norm(x, x[0], weight_offset=1.0),
        lambda x: norms.rms_norm(x, x[0], weight_offset=True),
        "rms_norm: weight_offset must be a number, not True",
    ),
    "an eps": (
        lambda x: norms.rms_norm(x, None, 1.0),
        lambda x: norms.rms_norm(x, None, True),
        "rms_norm: eps must be a number from 0 on, not True",
    ),
    "a scale": (
        lambda x: attention(*x.reshape(4, 1, 1, 1, 64)[:3].astype("f2"), scale=1.0),
        lambda x: attention(*x.reshape(4, 1, 1, 1, 64)[:3].astype("f2"), scale=True),
        "attention: scale must be a number or None, not True",
    ),
    "a negative scale": (
        lambda x: attention(*x.reshape(4, 1, 1, 1, 64)[:3].astype("f2"), scale=1.0),
        lambda x: attention(*x.reshape(4, 1, 1, 1, 64)[:3].astype("f2"), scale=-1.0),
        "attention: scale must not be negative on sm_90a\n  hint: negate q, and pass the absolute value of the scale",
    ),
    "a plan without a hash": (
        lambda x: matmul(x, x.T),
        lambda x: matmul(x, x.T, plan=[]),
        "matmul: out_dtype and plan must be hashable, not None and []",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found_after_a_valid_call_of_its_form(mistake):
    valid, wrong, message = MISTAKES[mistake]
    x = random(0, 4, 64)
    valid(x)
    with pytest.raises(LaunchError) as caught:
        wrong(x)
    assert str(caught.value) == message


def drawn_norm(rng):
    """A random call of `rms_norm` and the result that NumPy computes."""
    rows, columns = int(rng.integers(1, 4)), int(rng.choice([8, 24, 64]))
    dtype = rng.choice([np.float32, np.float16])
    gap, shift = (int(rng.choice([0, n])) for n in (8, 1))
    memory = rng.standard_normal(rows * (columns + gap) + shift).astype(dtype)[shift:]
    x = memory.reshape(rows, columns + gap)[:, :columns]
    weight = rng.standard_normal(columns).astype(rng.choice([np.float32, np.float16])) if rng.random() < 0.7 else None
    offset = float(rng.choice([0.0, 1.0])) if weight is not None else 0.0
    residual = rng.standard_normal(x.shape).astype(dtype) if rng.random() < 0.3 else None
    total = x if residual is None else (x.astype(np.float32) + residual).astype(dtype)
    options = {"residual": residual, "weight_offset": offset, "eps": float(rng.choice([1e-6, 0.5]))}
    scale = 1.0 if weight is None else weight.astype(np.float64) + offset
    expected = normalized(total, scale, options["eps"])
    if rng.random() < 0.3:
        options["out"] = np.empty((rows, columns), dtype)
    if rng.random() < 0.3:
        options["return_statistics"] = True
    return (x, weight), options, expected, total


@pytest.mark.parametrize("seed", range(3))
def test_random_calls_in_a_small_cache(seed, monkeypatch):
    """Forms return after other forms, and after the cache was cleared."""
    monkeypatch.setattr(launch_cache, "MOST_FORMS", 12)
    monkeypatch.setattr(norms_launch, "forwards", launch_cache.LaunchCache(norms_launch.forwards.prepare))
    rng = np.random.default_rng(seed)
    forms = [drawn_norm(np.random.default_rng([seed, i])) for i in range(16)]
    for _ in range(60):
        arguments, options, expected, total = forms[rng.integers(len(forms))]
        results = norms.rms_norm(*arguments, **options)
        results = list(results) if isinstance(results, tuple) else [results]
        y = results.pop(0)
        assert y is options.get("out", y)
        tolerance = 2e-3 if y.dtype == np.float16 else 1e-5
        np.testing.assert_allclose(y.astype(np.float64), expected, rtol=tolerance, atol=tolerance)
        if options["residual"] is not None:
            np.testing.assert_array_equal(results.pop(0), total)
        if "return_statistics" in options:
            mean_square = (total.astype(np.float64) ** 2).mean(-1)
            np.testing.assert_allclose(results.pop(0), 1 / np.sqrt(mean_square + options["eps"]), rtol=1e-5)
        assert not results


def test_threads_that_launch_different_forms():
    """Each thread has arrays of its own, and some have the same form."""
    wrong, started = [], threading.Barrier(4)

    def use(thread):
        x, weight = random(thread, 2 + thread % 2, 64), random(9, 64)
        started.wait()
        for _ in range(20):
            if not np.allclose(norms.rms_norm(x, weight), normalized(x, weight), rtol=1e-5, atol=1e-5):
                wrong.append(thread)

    threads = [threading.Thread(target=use, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
