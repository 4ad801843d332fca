"""hocket.kernels.attention_backward on Hopper against NumPy: sizes, masks, shared heads, strides, schedules."""

import ml_dtypes
import numpy as np
import ptxas
import pytest
from attention_reference import gradients, inputs, reference

from hocket import emulator
from hocket.errors import LaunchError
from hocket.kernels import attention, attention_backward
from hocket.kernels._attention import host_backward
from hocket.kernels._attention.backward_hopper import attention_backward_hopper
from hocket.launch_cache import LaunchCache

pytestmark = pytest.mark.usefixtures("unoptimized")


@pytest.fixture(autouse=True)
def no_prepared_launches(monkeypatch):
    """Some tests change constants on which launches depend."""
    monkeypatch.setattr(host_backward, "_launches", LaunchCache(host_backward._launches.prepare))


@pytest.fixture
def multiprocessors(monkeypatch):
    """Returns a function that sets the number of CTAs of launches."""

    def set_number(count):
        monkeypatch.setattr("hocket.kernels._attention.host_backward.gpu_of", lambda array: None)
        monkeypatch.setattr("hocket.kernels._attention.host_backward.MULTIPROCESSORS", count)

    return set_number


def gradient_like(q, seed=7):
    return np.random.default_rng(seed).standard_normal(q.shape).astype(q.dtype)


def swap(device, array, swapped):
    """Copies an array to the device. `swapped`: as [batch, sequence, heads, D] in memory."""
    if not swapped:
        return device.to_device(array)
    return device.to_device(np.ascontiguousarray(array.swapaxes(1, 2))).swapaxes(1, 2)


def check(device, q, k, v, swapped=False, dlse=None, **options):
    """Compares the gradients with those in float64, of `out` and `lse` in float64."""
    do = gradient_like(q)
    causal, scale, window = options.get("causal", False), options.get("scale"), options.get("window")
    out, lse = reference(q, k, v, causal, scale, window)
    arrays = [swap(device, x, swapped) for x in (do, q, k, v, out.astype(q.dtype))]
    per_row = [None if x is None else device.to_device(x.astype(np.float32)) for x in (lse, dlse)]
    results = [device.to_host(x) for x in attention_backward(*arrays, *per_row, **options)]
    eps = float(ml_dtypes.finfo(q.dtype).eps)
    expected = gradients(do, q, k, v, causal, scale, dlse, window)
    for name, result, (values, magnitudes) in zip(("dq", "dk", "dv"), results, expected, strict=True):
        assert result.dtype == q.dtype
        error = np.abs(result.astype(np.float64) - values)
        assert (error <= 1e-5 + eps * (magnitudes + np.abs(values))).all(), (name, error.max())
    return results


#: Heads, heads of keys, queries, keys: around the 128 or 64 queries of a block and the 128 keys of a tile.
SIZES = ((1, 1, 1, 1), (2, 1, 70, 50), (1, 1, 1, 300), (1, 1, 200, 1), (1, 1, 150, 260), (1, 1, 128, 256))
#: Both head sizes, and both values of `causal`.
FORMS = pytest.mark.parametrize("head_size, causal", [(64, False), (128, True)], ids=["64-full", "128-causal"])
OTHER_FORMS = pytest.mark.parametrize("head_size, causal", [(64, True), (128, False)], ids=["64-causal", "128-full"])


@FORMS
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_sizes_that_fit_no_block(hopper_device, size, head_size, causal):
    check(hopper_device, *inputs(size, head_size), causal=causal)


@OTHER_FORMS
def test_bfloat16_in_batches_with_shared_keys(hopper_device, head_size, causal):
    check(hopper_device, *inputs((2, 1, 133, 140), head_size, "bfloat16", batch=2), causal=causal)


@pytest.mark.parametrize("seed", range(4))
def test_random_problems(hopper_device, multiprocessors, seed):
    rng = np.random.default_rng(100 + seed)
    key_heads = int(rng.integers(1, 3))
    size = int(rng.integers(1, 3)) * key_heads, key_heads, *(int(x) for x in rng.integers(1, 300, 2))
    multiprocessors(int(rng.integers(1, 6)))
    q, k, v = inputs(size, int(rng.choice([64, 128])), str(rng.choice(["float16", "bfloat16"])))
    q *= q.dtype.type(rng.choice([1, 4, 16]))  # logits of trained models are wide
    options = {
        "causal": bool(rng.integers(2)),
        "scale": float(rng.uniform(-0.3, 0.3)),
        "swapped": bool(rng.integers(2)),
    }
    check(hopper_device, q, k, v, **options)


def test_the_gradient_of_the_logarithms(hopper_device):
    q, k, v = inputs((2, 1, 70, 150), 64)
    dlse = np.random.default_rng(3).standard_normal(q.shape[:3])
    check(hopper_device, q, k, v, dlse=dlse, causal=True)


def test_queries_without_any_key_have_no_gradient(hopper_device):
    dq, _, _ = check(hopper_device, *inputs((1, 1, 270, 20), 128), causal=True)
    assert (dq[:, :, :250] == 0).all()
    assert (dq[:, :, 250:] != 0).any()


def test_very_negative_scores_beside_keys_past_the_end(hopper_device):
    """Keys past the end have the score 0, which is far above the scores of all keys."""
    q, k, v = inputs((1, 1, 64, 130), 64)
    q, k = np.abs(q), -np.abs(k)
    check(hopper_device, q, k, v, scale=4.0)


def test_a_scale_of_zero(hopper_device):
    dq, dk, _ = check(hopper_device, *inputs((1, 1, 64, 150), 64), scale=0.0, causal=True)
    assert (dq == 0).all() and (dk == 0).all()


def test_a_query_with_nan(hopper_device):
    """Its own dQ is NaN, and dV of the keys that it sees."""
    q, k, v = inputs((1, 1, 100, 100), 64)
    q[0, 0, 40] = np.nan
    do, *arrays = (hopper_device.to_device(x) for x in (gradient_like(k), q, k, v))
    out, lse = attention(*arrays, causal=True, return_lse=True)
    dq, _, dv = (hopper_device.to_host(x) for x in attention_backward(do, *arrays, out, lse, causal=True))
    index = np.arange(100)
    for gradient, expected in ((dq, index == 40), (dv, index <= 40)):
        is_nan = np.isnan(gradient.astype(np.float32))[0, 0]
        assert (is_nan.all(axis=1) == expected).all() and (is_nan.any(axis=1) == expected).all()


@OTHER_FORMS
def test_each_number_of_ctas_gives_the_same_bits(hopper_device, multiprocessors, head_size, causal):
    arrays = inputs((2, 2, 140, 270), head_size, "bfloat16")
    results = []
    for count in (1, 4):
        multiprocessors(count)
        results.append(check(hopper_device, *arrays, causal=causal))
    assert all(np.array_equal(*pair) for pair in zip(*results, strict=True))


@FORMS
def test_every_schedule_gives_the_same(multiprocessors, head_size, causal):
    multiprocessors(3)
    q, k, v = inputs((2, 2, 140, 140), head_size)
    do = gradient_like(q)
    with emulator.target("sm_90a"):
        out, lse = attention(q, k, v, causal=causal, return_lse=True)
        expected = attention_backward(do, q, k, v, out, lse, causal=causal)
    for seed, completion in enumerate(("random", "now", "late")):
        with emulator.target("sm_90a", seed=seed, completion=completion):
            results = attention_backward(do, q, k, v, out, lse, causal=causal)
        assert all(np.array_equal(*pair) for pair in zip(results, expected, strict=True)), completion


def test_the_counter_is_zero_after_a_launch(hopper_device, monkeypatch):
    counter = hopper_device.to_device(np.zeros(1, np.int32))
    monkeypatch.setattr("hocket.kernels._attention.host_backward.counters_for", lambda array: counter)
    for _ in range(2):
        check(hopper_device, *inputs((1, 1, 70, 150), 64))
        assert hopper_device.to_host(counter) == [0]


def ptx_of(head_size, causal):
    """Returns the PTX of the main kernel."""
    compiled = []

    class Launch:
        """Compiles the kernel instead of launching it."""

        def __getitem__(self, grid):
            return lambda *args, **options: compiled.append(
                attention_backward_hopper.warmup(*args, grid=grid, target="sm_90a", **options)
            )

    class Nothing:
        def __getitem__(self, grid):
            return lambda *args, **options: None

    with pytest.MonkeyPatch.context() as patch, emulator.target("sm_90a"):
        patch.setattr(host_backward, "attention_backward_hopper", Launch())
        patch.setattr(host_backward, "prepare_rows", Nothing())
        patch.setattr(host_backward, "finish_dq", Nothing())
        q, k, v = inputs((1, 1, 128, 128), head_size)
        lse = np.zeros(q.shape[:3], np.float32)
        attention_backward(q, q, k, v, q, lse, causal=causal)
    return compiled[0].asm["ptx"]


@ptxas.needed
@FORMS
def test_the_assembler_warns_of_nothing(head_size, causal):
    """ptxas must not warn of ignored register budgets (C7507) or serialized wgmmas (C7510, C7512)."""
    assert "Performance Loss" not in ptxas.messages(ptx_of(head_size, causal))


def zeros(*shape, dtype=np.float16):
    return np.zeros(shape, dtype)


def call(do=None, q=None, k=None, v=None, out=None, lse=None, **options):
    q = zeros(1, 2, 4, 64) if q is None else q
    k = zeros(1, 2, 6, 64) if k is None else k
    lse = zeros(1, 2, 4, dtype=np.float32) if lse is None else lse
    do, v, out = q if do is None else do, k if v is None else v, q if out is None else out
    return attention_backward(do, q, k, v, out, lse, **options)


MISTAKES = {
    "head size": (
        lambda: call(q=zeros(1, 2, 4, 32), k=zeros(1, 2, 6, 32)),
        "attention_backward: D must be 64 or 128, not 32",
    ),
    "shape of do": (
        lambda: call(do=zeros(1, 2, 5, 64)),
        "attention_backward: do must have the shape and dtype of q, [1, 2, 4, 64] of float16, not [1, 2, 5, 64] of "
        "float16",
    ),
    "dtype of out": (
        lambda: call(out=zeros(1, 2, 4, 64, dtype=np.float32)),
        "attention_backward: out must have the shape and dtype of q, [1, 2, 4, 64] of float16, not [1, 2, 4, 64] of "
        "float32",
    ),
    "no lse": (
        lambda: call(lse=zeros(1, 2, 4)),
        "attention_backward: lse must be [1, 2, 4] of float32, not [1, 2, 4] of float16\n"
        "  hint: attention(..., return_lse=True) returns lse",
    ),
    "shape of dlse": (
        lambda: call(dlse=zeros(2, 4, dtype=np.float32)),
        "attention_backward: dlse must be [1, 2, 4] of float32, not [2, 4] of float32",
    ),
    "list": (
        lambda: call(do=[1.0]),
        "attention_backward: do is a list, not an array\n  hint: pass a NumPy array or a PyTorch tensor",
    ),
    "columns of a wider array": (
        lambda: call(do=zeros(1, 2, 4, 66)[..., 1:65]),
        "attention_backward on sm_90a needs rows of contiguous elements at multiples of 16 bytes (TMA), but the "
        "strides of do are [528, 264, 66, 1]\n  hint: pass a contiguous copy",
    ),
    "every second element of out": (
        lambda: call(out=zeros(1, 2, 4, 128)[..., ::2]),
        "attention_backward: the elements of a row of out must be contiguous, but the strides are [1024, 512, 128, 2]\n"
        "  hint: pass a contiguous copy",
    ),
    "flag": (
        lambda: call(causal="no"),
        "attention_backward: causal must be True or False, not 'no'",
    ),
    "scale": (
        lambda: call(scale="0.1"),
        "attention_backward: scale must be a number or None, not '0.1'",
    ),
    "function for scores": (
        lambda: call(score_mod=lambda score, *rest: score),
        "attention_backward has no gradients of attention with score_mod\n  hint: differentiate such attention with "
        "torch.nn.attention.flex_attention",
    ),
    "function for masks": (
        lambda: call(mask_mod=lambda *rest: True),
        "attention_backward has no gradients of attention with mask_mod\n  hint: differentiate such attention with "
        "torch.nn.attention.flex_attention",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    make_call, message = MISTAKES[name]
    with emulator.target("sm_90a"), pytest.raises(LaunchError) as caught:
        make_call()
    assert str(caught.value) == message


@pytest.mark.parametrize("target", ["sm_80", "gfx950"])
def test_other_targets(target):
    with emulator.target(target), pytest.raises(LaunchError) as caught:
        call()
    assert str(caught.value).startswith(f"attention_backward has no kernel for {target} yet; it is written for sm_90a")
