"""hocket.kernels.attention_varlen_backward on Hopper against NumPy: lengths, neighbors, schedules, mistakes."""

import numpy as np
import ptxas
import pytest
from attention_reference import check_packed_gradients, forms_of, packed_inputs, packed_results, run_varlen

from hocket import emulator, hooks
from hocket.errors import LaunchError
from hocket.kernels import attention_backward, attention_varlen_backward
from hocket.kernels._attention import host_varlen_backward
from hocket.kernels._attention.backward_hopper import attention_backward_hopper
from hocket.launch_cache import LaunchCache

pytestmark = pytest.mark.usefixtures("unoptimized")

#: (queries, keys) of each sequence: without queries, without keys, without either, one token, around the ends of tiles
#: of 128 keys and of blocks of 64 and 128 queries, and with fewer keys than queries.
SEQUENCES = ((70, 70), (2, 30), (0, 3), (1, 129), (64, 128), (3, 5), (20, 0), (0, 0), (1, 1), (129, 40), (65, 127))
#: Number of the sequence that is NaN, and of the one that is infinity. Their neighbors end inside blocks.
NAN, INFINITY = 1, 5
#: Head size and mask in the emulator.
FORMS = pytest.mark.parametrize("form", [(64, True), (128, False)], ids=str)
OTHER_FORMS = pytest.mark.parametrize("form", [(64, False), (128, True)], ids=str)


@pytest.fixture(autouse=True)
def no_prepared_launches(monkeypatch):
    """Some tests change constants on which launches depend."""
    monkeypatch.setattr(host_varlen_backward, "_launches", LaunchCache(host_varlen_backward._launches.prepare))


@pytest.fixture
def multiprocessors(monkeypatch):
    """Returns a function that sets the number of CTAs of launches."""

    def set_number(count):
        monkeypatch.setattr("hocket.kernels._attention.host_varlen_backward.gpu_of", lambda array: None)
        monkeypatch.setattr("hocket.kernels._attention.host_backward.MULTIPROCESSORS", count)

    return set_number


def gradient_like(array, seed=7):
    return np.random.default_rng(seed).standard_normal(array.shape).astype(array.dtype)


def run_backward(device, do, arrays, starts, results=None, dlse=None, **options):
    """Returns dq, dk and dv as NumPy arrays. `results`: out and lse, by default those in float64."""
    masks = {name: options[name] for name in ("causal", "scale", "window") if name in options}
    out, lse = results or packed_results(arrays, starts, **masks)
    per_row = [None if x is None else device.to_device(x.astype(np.float32)) for x in (lse, dlse)]
    operands = [device.to_device(x) for x in (do, *arrays, out.astype(do.dtype))]
    begins = [device.to_device(x) for x in starts]
    gradients = attention_varlen_backward(*operands, per_row[0], *begins, per_row[1], **options)
    return [device.to_host(x) for x in gradients]


def check(device, arrays, starts, skipped=(), **options):
    do = gradient_like(arrays[0])
    with np.errstate(invalid="ignore"):
        results = run_backward(device, do, arrays, starts, **options)
        check_packed_gradients(results, do, arrays, starts, skipped=skipped, **options)
    return results


def fill_sequence(arrays, starts, index, value):
    for array, ends in zip(arrays, (starts[0], starts[1], starts[1]), strict=True):
        array[ends[index] : ends[index + 1]] = value


@FORMS
def test_sequences_of_all_lengths_beside_nan(hopper_device, form):
    for head_size, causal in forms_of(hopper_device, [form]):
        arrays, starts = packed_inputs(SEQUENCES, 2, 1, head_size)
        fill_sequence(arrays, starts, NAN, np.nan)
        fill_sequence(arrays, starts, INFINITY, np.inf)
        results = check(hopper_device, arrays, starts, (NAN, INFINITY), causal=causal)
        for result, ends in zip(results, (starts[0], starts[1], starts[1]), strict=True):
            assert np.isnan(result[ends[NAN] : ends[NAN + 1]].astype(np.float32)).any()


@OTHER_FORMS
def test_random_lengths(hopper_device, multiprocessors, form):
    rng = np.random.default_rng(7)
    for head_size, causal in forms_of(hopper_device, [form]):
        sequences = rng.integers(0, 700, (20, 2)) if hopper_device.is_gpu else rng.integers(0, 200, (4, 2))
        if not hopper_device.is_gpu:
            multiprocessors(3)
        arrays, starts = packed_inputs(sequences.tolist(), 4, 2, head_size, "bfloat16")
        arrays[0] *= arrays[0].dtype.type(4)  # logits of trained models are wide
        check(hopper_device, arrays, starts, causal=causal)


def test_rows_after_the_last_sequence_have_no_gradient(hopper_device):
    """Also if they hold NaN."""
    arrays, starts = packed_inputs(((30, 40), (100, 50), (140, 135)), 2, 1, 64)
    fill_sequence(arrays, starts, 2, np.nan)
    dq, dk, dv = check(hopper_device, arrays, [ends[:-1] for ends in starts], causal=True)
    assert (dq[130:] == 0).all() and (dk[90:] == 0).all() and (dv[90:] == 0).all()


def test_results_of_attention_varlen(hopper_device):
    arrays, starts = packed_inputs(((100, 140), (5, 0), (30, 30)), 2, 2, 64)
    do = gradient_like(arrays[0])
    results = run_varlen(hopper_device, arrays, starts, causal=True)
    check_packed_gradients(
        run_backward(hopper_device, do, arrays, starts, results, causal=True), do, arrays, starts, True
    )


def test_one_sequence_is_attention_backward(hopper_device):
    """Results are equal to the last bit."""
    arrays, starts = packed_inputs([(130, 200), (0, 0)], 2, 1, 128)
    do = gradient_like(arrays[0])
    out, lse = packed_results(arrays, starts)
    result = run_backward(hopper_device, do, arrays, starts, (out, lse))
    swapped = [hopper_device.to_device(x).swapaxes(0, 1)[None] for x in (do, *arrays, out.astype(do.dtype))]
    whole = attention_backward(*swapped, hopper_device.to_device(lse.astype(np.float32)[None]))
    for packed, dense in zip(result, whole, strict=True):
        assert np.array_equal(packed, hopper_device.to_host(dense)[0].swapaxes(0, 1))


def test_arrays_between_others_in_memory(hopper_device):
    """q, k and v are parts of one array, and do of another."""
    arrays, starts = packed_inputs(((97, 97), (3, 3)), 2, 1, 64)
    together = hopper_device.to_device(np.concatenate(arrays, axis=1))
    do = gradient_like(arrays[0])
    dos = hopper_device.to_device(np.concatenate([do, do], axis=1))
    out, lse = (hopper_device.to_device(x) for x in run_varlen(hopper_device, arrays, starts))
    begins = [hopper_device.to_device(x) for x in starts]
    parts = together[:, :2], together[:, 2:3], together[:, 3:]
    results = attention_varlen_backward(dos[:, 1:3], *parts, out, lse, *begins)
    shifted = np.concatenate([do[:, 1:], do[:, :1]], axis=1)
    check_packed_gradients([hopper_device.to_host(x) for x in results], shifted, arrays, starts)


def test_the_gradient_of_the_logarithms(hopper_device):
    arrays, starts = packed_inputs(((70, 150), (3, 60)), 2, 1, 64)
    dlse = np.random.default_rng(3).standard_normal((2, 73))
    check(hopper_device, arrays, starts, causal=True, dlse=dlse)


def test_a_negative_scale(hopper_device):
    arrays, starts = packed_inputs(((50, 70), (3, 5)), 1, 1, 64)
    check(hopper_device, arrays, starts, scale=-0.2)


@OTHER_FORMS
def test_each_number_of_ctas_gives_the_same_bits(hopper_device, multiprocessors, form):
    head_size, causal = form
    arrays, starts = packed_inputs(((140, 270), (1, 3), (30, 150)), 2, 2, head_size, "bfloat16")
    results = []
    for count in (1, 4):
        multiprocessors(count)
        host_varlen_backward._launches.clear()
        results.append(check(hopper_device, arrays, starts, causal=causal))
    assert all(np.array_equal(*pair) for pair in zip(*results, strict=True))


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "random"), (3, "now"), (4, "late")])
def test_every_schedule_gives_the_same(multiprocessors, seed, completion):
    multiprocessors(3)
    arrays, starts = packed_inputs(((70, 200), (0, 3), (130, 140), (2, 40)), 2, 1, 64, "bfloat16")
    do = gradient_like(arrays[0])
    out, lse = packed_results(arrays, starts, True)
    operands = do, *arrays, out.astype(do.dtype), lse.astype(np.float32), *starts
    with emulator.target("sm_90a"):
        expected = attention_varlen_backward(*operands, causal=True)
    with emulator.target("sm_90a", seed=seed, completion=completion):
        results = attention_varlen_backward(*operands, causal=True)
    assert all(np.array_equal(*pair) for pair in zip(results, expected, strict=True))


def test_the_counter_is_zero_after_a_launch_of_many_sequences(hopper_device, monkeypatch, multiprocessors):
    """The producer warp reads the lengths of 32 sequences at a time."""
    counter = hopper_device.to_device(np.zeros(1, np.int32))
    monkeypatch.setattr("hocket.kernels._attention.host_varlen_backward.counters_for", lambda array: counter)
    multiprocessors(2)
    sequences = np.random.default_rng(1).integers(0, 3, (70, 2)).tolist()
    arrays, starts = packed_inputs(sequences, 1, 1, 64)
    for _ in range(2):
        check(hopper_device, arrays, starts, causal=True)
        assert hopper_device.to_host(counter) == [0]


def test_other_lengths_compile_no_other_kernels(hopper_device):
    """Multiples of 16 rows, blocks and sequences need no kernels of their own."""
    launches = []
    with hooks.launch_enter.added(launches.append):
        for lengths in ([7, 12], [16, 32], [48] * 15, [3] * 17, [128] * 16):
            arrays, starts = packed_inputs([(n, n) for n in lengths], 1, 1, 64)
            results = run_varlen(hopper_device, arrays, starts, causal=True)
            run_backward(hopper_device, arrays[0], arrays, starts, results, causal=True)
    kernels = {}
    for launch in launches:
        kernels.setdefault(launch.kernel.name, set()).add(id(launch.kernel))
    # The kernel of the forward pass has one consumer warpgroup or several.
    expected = {"attention_hopper": 2, "attention_backward_hopper": 1, "prepare_rows": 1, "finish_dq": 1}
    assert {name: len(own) for name, own in kernels.items()} == expected


@pytest.mark.parametrize("sequences", [[(3, 0), (2, 0)], [(0, 4)], []], ids=str)
def test_without_queries_or_keys(hopper_device, sequences):
    arrays, starts = packed_inputs(sequences or [(2, 3)], 1, 1, 64)
    starts = starts if sequences else [ends[:1] for ends in starts]
    results = check(hopper_device, arrays, starts)
    assert all((result == 0).all() for result in results)


def ptx_of(form):
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
        patch.setattr(host_varlen_backward, "attention_backward_hopper", Launch())
        patch.setattr(host_varlen_backward, "prepare_rows", Nothing())
        patch.setattr(host_varlen_backward, "finish_dq", Nothing())
        (q, k, v), starts = packed_inputs([(128, 128)], 1, 1, form[0])
        lse = np.zeros(q.shape[1::-1], np.float32)
        attention_varlen_backward(q, q, k, v, q, lse, *starts, causal=form[1])
    return compiled[0].asm["ptx"]


@ptxas.needed
@FORMS
def test_the_assembler_warns_of_nothing(form):
    """ptxas must not warn of ignored register budgets (C7507) or serialized wgmmas (C7510, C7512)."""
    assert "Performance Loss" not in ptxas.messages(ptx_of(form))


def zeros(*shape, dtype=np.float16):
    return np.zeros(shape, dtype)


def call(do=None, q=None, k=None, out=None, lse=None, starts=None, **options):
    q = zeros(4, 2, 64) if q is None else q
    k = zeros(6, 2, 64) if k is None else k
    lse = zeros(2, 4, dtype=np.float32) if lse is None else lse
    do, out = q if do is None else do, q if out is None else out
    starts = np.array([0, 4], np.int32) if starts is None else starts
    return attention_varlen_backward(do, q, k, k, out, lse, starts, np.array([0, 6], np.int32), **options)


MISTAKES = {
    "head size": (
        lambda: call(q=zeros(4, 2, 32), k=zeros(6, 2, 32)),
        "attention_varlen_backward: D must be 64 or 128, not 32",
    ),
    "dimensions": (
        lambda: call(k=zeros(1, 6, 2, 64)),
        "attention_varlen_backward: k must be [rows, heads, D], not [1, 6, 2, 64]",
    ),
    "shape of do": (
        lambda: call(do=zeros(5, 2, 64)),
        "attention_varlen_backward: do must have the shape and dtype of q, [4, 2, 64] of float16, not [5, 2, 64] of "
        "float16",
    ),
    "lse of each sequence": (
        lambda: call(lse=zeros(1, 2, 4, dtype=np.float32)),
        "attention_varlen_backward: lse must be [2, 4] of float32, not [1, 2, 4] of float32\n"
        "  hint: attention_varlen(..., return_lse=True) returns lse",
    ),
    "shape of dlse": (
        lambda: call(dlse=zeros(4, 2, dtype=np.float32)),
        "attention_varlen_backward: dlse must be [2, 4] of float32, not [4, 2] of float32",
    ),
    "starts": (
        lambda: call(starts=np.array([0, 4])),
        "attention_varlen_backward: cu_seqlens_q must be contiguous int32 of [sequences + 1], but it is int64 of shape "
        "[2]",
    ),
    "columns of a wider array": (
        lambda: call(do=zeros(4, 2, 66)[..., 1:65]),
        "attention_varlen_backward on sm_90a needs rows of contiguous elements at multiples of 16 bytes (TMA), but the "
        "strides of do are [0, 66, 132, 1]\n  hint: pass a contiguous copy",
    ),
    "every second element of out": (
        lambda: call(out=zeros(4, 2, 128)[..., ::2]),
        "attention_varlen_backward: the elements of a row of out must be contiguous, but the strides are "
        "[256, 128, 2]\n  hint: pass a contiguous copy",
    ),
    "flag": (
        lambda: call(causal="no"),
        "attention_varlen_backward: causal must be True or False, not 'no'",
    ),
    "scale": (
        lambda: call(scale="0.1"),
        "attention_varlen_backward: scale must be a number or None, not '0.1'",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    make_call, message = MISTAKES[name]
    with emulator.target("sm_90a"), pytest.raises(LaunchError) as caught:
        make_call()
    assert str(caught.value) == message


def test_other_targets():
    with emulator.target("gfx950"), pytest.raises(LaunchError, match="attention_varlen_backward has no kernel for"):
        call()
