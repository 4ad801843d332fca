"""hocket.torch.attention_varlen and attention_paged: results, gradients, torch.compile, checks of operators."""

import pytest

torch = pytest.importorskip("torch")

import hocket.torch  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]

#: Lengths of sequences: queries and keys.
QUERIES, KEYS = (70, 0, 3, 33), (90, 5, 3, 20)


def randn(device, *shape, requires_grad=False, dtype=torch.float16):
    generator = torch.Generator().manual_seed(sum(shape))
    values = torch.randn(*shape, generator=generator).to(dtype).to("cuda" if device.is_gpu else "cpu")
    return values.requires_grad_(requires_grad)


def starts_of(device, lengths):
    starts = torch.tensor([0, *lengths]).cumsum(0).to(torch.int32)
    return starts.to("cuda" if device.is_gpu else "cpu")


def packed(device, size=64, requires_grad=False):
    """Returns q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q and max_seqlen_k."""
    q = randn(device, sum(QUERIES), 4, size, requires_grad=requires_grad)
    k, v = (randn(device, sum(KEYS), 2, size + i, requires_grad=False)[..., :size].contiguous() for i in range(2))
    arrays = [q, *(x.requires_grad_(requires_grad) for x in (k, v))]
    return arrays, (starts_of(device, QUERIES), starts_of(device, KEYS), max(QUERIES), max(KEYS))


def expected_attention(q, k, v, causal=False, before=None):
    """Results and logarithms of the sums, sequence by sequence in float64. A query sees a key in each sequence."""
    results, sums, rows, keys = [], [], 0, 0
    for count, length in zip(QUERIES, KEYS, strict=True):
        left = q[rows : rows + count].double().transpose(0, 1)
        parts = (x[keys : keys + length].double().transpose(0, 1).repeat_interleave(2, 0) for x in (k, v))
        right, values = parts
        scores = left @ right.mT * q.shape[2] ** -0.5
        if causal:
            visible = torch.ones(count, length, dtype=torch.bool, device=q.device).tril(length - count)
            scores = scores.masked_fill(~visible, float("-inf"))
        if before is not None:
            hidden = torch.ones(count, length, dtype=torch.bool, device=q.device).tril(length - count - before - 1)
            scores = scores.masked_fill(hidden, float("-inf"))
        # Queries that see no key have the result 0.
        p = scores.softmax(2).nan_to_num(0)
        results.append((p @ values).transpose(0, 1))
        sums.append(scores.logsumexp(2))
        rows, keys = rows + count, keys + length
    return torch.cat(results), torch.cat(sums, 1)


def close_to_float64(ours, theirs):
    for left, right in zip(ours, theirs, strict=True):
        assert left.dtype == torch.float16
        torch.testing.assert_close(left.double(), right.double(), atol=1e-2, rtol=1e-2)


def test_packed_sequences_have_results(hopper_device):
    arrays, lengths = packed(hopper_device)
    out, lse = hocket.torch.attention_varlen(*arrays, *lengths, return_lse=True)
    expected, sums = expected_attention(*arrays)
    torch.testing.assert_close(out.double(), expected, atol=2e-3, rtol=2e-3)
    torch.testing.assert_close(lse.double(), sums, atol=1e-4, rtol=1e-4)
    assert torch.equal(hocket.torch.attention_varlen(*arrays, *lengths), out)


def test_packed_sequences_have_gradients(hopper_device):
    """The gradient of a sum is expanded: all of its strides are 0."""
    arrays, lengths = packed(hopper_device, requires_grad=True)
    ours = torch.autograd.grad(hocket.torch.attention_varlen(*arrays, *lengths).sum(), arrays)
    close_to_float64(ours, torch.autograd.grad(expected_attention(*arrays)[0].sum(), arrays))


def test_windows_have_gradients(hopper_device):
    arrays, lengths = packed(hopper_device, requires_grad=True)
    results = hocket.torch.attention_varlen(*arrays, *lengths, causal=True, window=(20, 0), return_lse=True)
    ours = torch.autograd.grad(results[0].sum(), arrays)
    close_to_float64(ours, torch.autograd.grad(expected_attention(*arrays, True, 20)[0].sum(), arrays))
    dense = [x[None, :70].transpose(1, 2).detach().requires_grad_() for x in arrays]
    of_dense = torch.autograd.grad(hocket.torch.attention(*dense, window=(20, 0)).sum(), dense)
    of_packed = torch.autograd.grad(
        hocket.torch.attention_varlen(
            *(x[:70] for x in arrays), *[starts_of(hopper_device, [70])] * 2, 70, window=(20, 0)
        ).sum(),
        arrays,
    )
    for one, other in zip(of_dense, of_packed, strict=True):
        assert torch.equal(one[0].transpose(0, 1), other[:70])
    with pytest.raises(ValueError, match=r"window must be \(before, after\), numbers of keys or None, not 20"):
        hocket.torch.attention(*dense, window=20)


def test_gradients_of_results_and_logarithms(hopper_device):
    arrays, lengths = packed(hopper_device, requires_grad=True)
    weights = [randn(hopper_device, *shape, dtype=torch.float32) for shape in (arrays[0].shape, (4, sum(QUERIES)))]

    def gradients(out, lse):
        return torch.autograd.grad((out * weights[0]).sum() + (lse * weights[1]).sum(), arrays)

    out, lse = hocket.torch.attention_varlen(*arrays, *lengths, return_lse=True)
    close_to_float64(gradients(out, lse), gradients(*expected_attention(*arrays)))
    [of_q] = torch.autograd.grad(hocket.torch.attention_varlen(*arrays, *lengths, return_lse=True)[1].sum(), arrays[:1])
    close_to_float64([of_q], torch.autograd.grad(expected_attention(*arrays)[1].sum(), arrays[:1]))


def test_packed_sequences_pass_the_checks_of_operators(hopper_device):
    arrays, lengths = packed(hopper_device, requires_grad=True)
    operator = torch.ops.hocket.attention_varlen
    tests = "test_schema", "test_faketensor", "test_autograd_registration"
    torch.library.opcheck(operator, (*arrays, *lengths, True), test_utils=tests)
    with torch.no_grad():
        out, lse = operator(*arrays, *lengths, True)
        arguments = out, *arrays, out, lse, *lengths[:2], lse, True
        torch.library.opcheck(
            torch.ops.hocket.attention_varlen_backward, arguments, test_utils=("test_schema", "test_faketensor")
        )


@pytest.mark.parametrize("is_dynamic", [False, True], ids=["static", "dynamic"])
def test_a_step_of_training_compiles_in_one_graph(hopper_device, is_dynamic):
    arrays, lengths = packed(hopper_device, requires_grad=True)

    @torch.compile(fullgraph=True, dynamic=is_dynamic, backend="inductor" if hopper_device.is_gpu else "aot_eager")
    def model(q, k, v, longest):
        return (hocket.torch.attention_varlen(q, k, v * 2, *lengths[:2], longest) * 3).sum()

    expected = torch.autograd.grad((expected_attention(*arrays[:2], arrays[2] * 2)[0] * 3).sum(), arrays)
    close_to_float64(torch.autograd.grad(model(*arrays, lengths[2]), arrays), expected)


def paged(device, page_size=16):
    """Returns the arguments of attention_paged for the sequences of `packed`, and those of attention_varlen."""
    arrays, lengths = packed(device)
    counts = [-(-length // page_size) for length in KEYS]
    table = torch.zeros(len(KEYS), max(counts), dtype=torch.int32, device=arrays[0].device)
    pages = [arrays[1].new_zeros(sum(counts), page_size, 2, 64) for _ in range(2)]
    used, begin = 0, 0
    for i, (count, length) in enumerate(zip(counts, KEYS, strict=True)):
        table[i, :count] = torch.arange(used, used + count)
        for page, array in zip(pages, arrays[1:], strict=True):
            page[used : used + count].flatten(0, 1)[:length] = array[begin : begin + length]
        used, begin = used + count, begin + length
    key_lengths = torch.tensor(KEYS, dtype=torch.int32, device=table.device)
    return (arrays[0], *pages, table, key_lengths, lengths[0], lengths[2]), (*arrays, *lengths)


def test_paged_keys(hopper_device):
    arguments, of_varlen = paged(hopper_device)
    ours = hocket.torch.attention_paged(*arguments, causal=True, return_lse=True)
    expected = expected_attention(*of_varlen[:3], True)
    torch.testing.assert_close(ours[0].double(), expected[0], atol=2e-3, rtol=2e-3)
    torch.testing.assert_close(ours[1].double(), expected[1], atol=1e-4, rtol=1e-4)
    compiled = torch.compile(
        lambda *x: hocket.torch.attention_paged(*x, causal=True) + 1,
        fullgraph=True,
        backend="inductor" if hopper_device.is_gpu else "aot_eager",
    )
    assert torch.equal(compiled(*arguments), ours[0] + 1)


def test_paged_keys_pass_the_checks_of_operators(hopper_device):
    arguments, _ = paged(hopper_device)
    torch.library.opcheck(
        torch.ops.hocket.attention_paged, (*arguments, True), test_utils=("test_schema", "test_faketensor")
    )


def test_paged_keys_have_no_gradient(hopper_device):
    (q, *others), _ = paged(hopper_device)
    out = hocket.torch.attention_paged(q.requires_grad_(), *others)
    with pytest.raises(NotImplementedError) as caught:
        out.sum().backward()
    assert str(caught.value) == (
        "attention of paged keys has no backward pass\n  hint: call it under torch.no_grad(), or use "
        "hocket.torch.attention_varlen for training"
    )
