"""hocket.torch.grouped_matmul against a loop of PyTorch's GEMMs: results, gradients of each form, torch.compile."""

import pytest

torch = pytest.importorskip("torch")

import hocket.torch  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]

#: Index after the last row of each group; four rows belong to no group.
ENDS, ROWS = (20, 20, 57, 70), 74
COUNTS, PITCH = (5, 0, 33, 64), 64
K, N = 40, 72


def randn(device, *shape, seed=0):
    generator = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randn(*shape, generator=generator).bfloat16().to("cuda" if device.is_gpu else "cpu")


def slices():
    return [slice(begin, end) for begin, end in zip((0, *ENDS), ENDS, strict=False)]


def adjacent(a, b, *_):
    rows = [a[part] @ b[group] for group, part in enumerate(slices())]
    return torch.cat([*rows, a.new_zeros(ROWS - ENDS[-1], N)])


def gathered(a, b, indices):
    return adjacent(a[indices], b)


def padded(a, b, *_):
    is_inside = (
        torch.arange(PITCH, device=a.device)[None, :, None] < torch.tensor(COUNTS, device=a.device)[:, None, None]
    )
    return (a @ b).where(is_inside, 0)


def over_rows(a, b, *_):
    return torch.stack([a[:, part] @ b[part] for part in slices()])


FORMS = {"adjacent": adjacent, "gathered": gathered, "padded": padded, "over rows": over_rows}


def arguments_of(device, form):
    """Returns a, b and the keyword arguments of the form. Rows of no group hold NaN."""
    device_type = "cuda" if device.is_gpu else "cpu"
    offsets = {"offsets": torch.tensor(ENDS, device=device_type)}
    b = randn(device, len(ENDS), K, N)
    if form == "padded":
        a = randn(device, len(COUNTS), PITCH, K)
        for group, count in enumerate(COUNTS):
            a[group, count:] = float("nan")
        return a, b, {"counts": torch.tensor(COUNTS, device=device_type)}
    if form == "gathered":
        indices = torch.randint(30, (ROWS,), generator=torch.Generator().manual_seed(1)).to(device_type)
        return randn(device, 30, K), b, offsets | {"indices": indices}
    a = randn(device, ROWS, K)
    a[ENDS[-1] :] = float("nan")
    if form == "adjacent":
        return a, b, offsets
    right = randn(device, ROWS, N)
    right[ENDS[-1] :] = float("nan")
    return a.mT, right, offsets


def in_groups(result, form):
    """Returns the result with zeros in rows of no group."""
    if form == "padded":
        outside = (
            torch.arange(PITCH, device=result.device)[None, :] >= torch.tensor(COUNTS, device=result.device)[:, None]
        )
        return result.masked_fill(outside[:, :, None], 0)
    if form == "over rows":
        return result
    return result.masked_fill((torch.arange(ROWS, device=result.device) >= ENDS[-1])[:, None], 0)


def close(ours, theirs):
    torch.testing.assert_close(ours.double(), theirs.double(), atol=5e-2, rtol=2e-2)


def gradients(function, form, a, b, options):
    """Returns the result, and the gradients of a and b."""
    leaves = [x.detach().clone(memory_format=torch.preserve_format).requires_grad_() for x in (a, b)]
    result = in_groups(function(*leaves, **options), form)
    weight = torch.linspace(-1, 1, result.numel(), device=result.device, dtype=torch.float64).reshape(result.shape)
    return result, *torch.autograd.grad((result.double() * weight).sum(), leaves)


@pytest.mark.parametrize("form", FORMS)
def test_results_and_gradients(hopper_device, form):
    a, b, options = arguments_of(hopper_device, form)
    ours = gradients(hocket.torch.grouped_matmul, form, a, b, options)
    wide = (x.double().nan_to_num(0) for x in (a, b))
    theirs = gradients(lambda a, b, **rest: FORMS[form](a, b, rest.get("indices")), form, *wide, options)
    for one, other in zip(ours, theirs, strict=True):
        assert one.dtype == torch.bfloat16
        close(one, other)


@pytest.mark.parametrize("form", FORMS)
def test_passes_the_checks_of_operators(hopper_device, form):
    a, b, options = arguments_of(hopper_device, form)
    a, b = (x.nan_to_num(0).requires_grad_() for x in (a, b))
    a = a if form != "over rows" else a.detach().mT.contiguous().mT.requires_grad_()
    tests = "test_schema", "test_faketensor", "test_autograd_registration"
    # Rows of no group are undefined, so they get zeros.
    torch.library.opcheck(torch.ops.hocket.grouped_matmul, (a, b), options | {"clears_rest": True}, test_utils=tests)


@pytest.mark.parametrize("form", FORMS)
def test_a_step_of_training_compiles_in_one_graph(hopper_device, form):
    a, b, options = arguments_of(hopper_device, form)
    compiled = torch.compile(
        hocket.torch.grouped_matmul, fullgraph=True, backend="inductor" if hopper_device.is_gpu else "aot_eager"
    )
    for one, other in zip(
        gradients(compiled, form, a, b, options),
        gradients(hocket.torch.grouped_matmul, form, a, b, options),
        strict=True,
    ):
        close(one, other)


def test_results_of_another_dtype_and_scales(hopper_device):
    a, b, options = arguments_of(hopper_device, "adjacent")
    scale = torch.full((ROWS,), 2.0, device=a.device)
    ours = hocket.torch.grouped_matmul(a, b, **options, scale_a=scale, out_dtype=torch.float32)
    assert ours.dtype == torch.float32
    close(in_groups(ours, "adjacent"), in_groups(adjacent(a.double(), b.double()) * 2, "adjacent"))


def test_scales_have_no_gradient(hopper_device):
    a, b, options = arguments_of(hopper_device, "adjacent")
    scale = torch.ones(ROWS, device=a.device)
    result = hocket.torch.grouped_matmul(a, b.requires_grad_(), **options, scale_a=scale)
    with pytest.raises(NotImplementedError) as caught:
        result.sum().backward()
    assert str(caught.value) == (
        "grouped_matmul of float8, or with scales, has no backward pass\n  hint: call it under torch.no_grad(), or "
        "multiply float16 or bfloat16 without scales"
    )
