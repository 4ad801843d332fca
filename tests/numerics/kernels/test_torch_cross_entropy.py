"""hocket.torch.cross_entropy against PyTorch's own: values, gradients, torch.compile, gradients in place."""

import pytest

torch = pytest.importorskip("torch")

import hocket.torch  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]


def inputs(device, *shape):
    generator = torch.Generator().manual_seed(sum(shape))
    logits = torch.randn(*shape, generator=generator)
    targets = torch.randint(shape[-1], shape[:-1], generator=generator)
    targets.view(-1)[1:2] = -100
    return [tensor.to("cuda" if device.is_gpu else "cpu") for tensor in (logits, targets)]


def expected_of(logits, targets, smoothing, reduction):
    loss = torch.nn.functional.cross_entropy(
        logits.flatten(0, -2), targets.flatten(), label_smoothing=smoothing, reduction=reduction
    )
    return loss.view(targets.shape) if reduction == "none" else loss


def check(ours, logits, targets, smoothing=0.1, reduction="mean", **options):
    leaf, other = (logits.detach().clone().requires_grad_() for _ in range(2))
    # The gradient replaces the values of a result, not of a leaf.
    loss = ours(leaf * 1, targets, label_smoothing=smoothing, reduction=reduction, **options)
    expected = expected_of(other, targets, smoothing, reduction)
    torch.testing.assert_close(loss, expected, atol=1e-6, rtol=1e-5)
    gradients = [torch.autograd.grad((value * value).sum(), x)[0] for value, x in ((loss, leaf), (expected, other))]
    torch.testing.assert_close(*gradients, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_values_and_gradients(hopper_device, reduction):
    """Also of a transposed tensor, which is copied."""
    logits, targets = inputs(hopper_device, 2, 5, 24)
    check(hocket.torch.cross_entropy, logits, targets, reduction=reduction)
    logits, targets = inputs(hopper_device, 24, 5, 24)
    check(hocket.torch.cross_entropy, logits.transpose(0, 2), targets, reduction=reduction)


def test_no_rows(hopper_device):
    logits, targets = inputs(hopper_device, 3, 24)
    assert torch.isnan(hocket.torch.cross_entropy(logits[:0], targets[:0]))
    leaf = logits[:0].requires_grad_()
    loss = hocket.torch.cross_entropy(leaf, targets[:0], reduction="sum")
    loss.backward()
    assert loss == 0 and leaf.grad.shape == (0, 24)


def test_gradients_in_place(hopper_device):
    logits, targets = inputs(hopper_device, 6, 24)
    check(hocket.torch.cross_entropy, logits, targets, in_place=True)
    leaf = logits.requires_grad_()
    values = leaf * 1
    values.retain_grad()
    hocket.torch.cross_entropy(values, targets, in_place=True).backward()
    torch.testing.assert_close(values, leaf.grad)


def test_compiles_in_one_graph(hopper_device):
    logits, targets = inputs(hopper_device, 6, 40)
    backend = "inductor" if hopper_device.is_gpu else "aot_eager"
    check(torch.compile(hocket.torch.cross_entropy, fullgraph=True, backend=backend), logits, targets)


def test_the_checks_of_operators(hopper_device):
    logits, targets = inputs(hopper_device, 6, 40)
    arguments = logits.requires_grad_(), targets, -100, 0.1, 0.0, "mean", False
    torch.library.opcheck(torch.ops.hocket.cross_entropy, arguments, test_utils=("test_schema", "test_faketensor"))
