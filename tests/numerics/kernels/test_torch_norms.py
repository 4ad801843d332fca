"""hocket.torch's normalizations against PyTorch's own: values, gradients, modules, torch.compile, CUDA graphs."""

import pytest

torch = pytest.importorskip("torch")

import hocket.torch  # noqa: E402

pytestmark = pytest.mark.slow

EPS = 1e-5


def randn(device, *shape, dtype=torch.float32, requires_grad=False):
    generator = torch.Generator().manual_seed(sum(shape))
    values = torch.randn(*shape, generator=generator).to(dtype).to("cuda" if device.is_gpu else "cpu")
    return values.requires_grad_(requires_grad)


def reference(x, weight, bias, is_centered, residual=None):
    x = x.float() if residual is None else (x + residual).float()
    if is_centered:
        return torch.nn.functional.layer_norm(x, x.shape[-1:], weight.float(), bias.float(), EPS)
    return torch.nn.functional.rms_norm(x, x.shape[-1:], weight.float(), EPS)


def ours(x, weight, bias, is_centered, residual=None):
    if is_centered:
        return hocket.torch.layer_norm(x, weight, bias, EPS, residual)
    return hocket.torch.rms_norm(x, weight, EPS, residual)


each_kind = pytest.mark.parametrize("is_centered", [False, True], ids=["rms", "layer"])


@each_kind
@pytest.mark.parametrize("has_residual", [False, True], ids=["alone", "residual"])
def test_values_and_gradients(hopper_device, is_centered, has_residual):
    leaves = [randn(hopper_device, *shape, requires_grad=True) for shape in ((2, 5, 96), (96,), (96,), (2, 5, 96))]
    x, weight, bias = leaves[:3]
    residual = leaves[3] if has_residual else None
    wanted = [leaf for leaf in leaves if leaf is not (None if has_residual else leaves[3])]
    wanted = [leaf for leaf in wanted if is_centered or leaf is not bias]
    of_y = randn(hopper_device, 2, 5, 96)
    expected = reference(x, weight, bias, is_centered, residual)
    result = ours(x, weight, bias, is_centered, residual)
    loss, expected_loss = 0.0, (expected * of_y).sum()
    if has_residual:
        result, total = result
        torch.testing.assert_close(total, x + residual)
        loss = total.square().sum()
        expected_loss = expected_loss + (x + residual).square().sum()
    torch.testing.assert_close(result, expected, atol=1e-5, rtol=1e-5)
    gradients = torch.autograd.grad((result * of_y).sum() + loss, wanted)
    for gradient, other in zip(gradients, torch.autograd.grad(expected_loss, wanted), strict=True):
        torch.testing.assert_close(gradient, other, atol=1e-4, rtol=1e-4)


@each_kind
def test_the_checks_of_operators(hopper_device, is_centered):
    x, weight, bias = (randn(hopper_device, *shape, requires_grad=True) for shape in ((6, 40), (40,), (40,)))
    arguments = x, None, weight, bias if is_centered else None, EPS, is_centered
    torch.library.opcheck(torch.ops.hocket.norm, arguments, test_utils=("test_schema", "test_faketensor"))


@pytest.mark.parametrize("name", ["RMSNorm", "LayerNorm"])
@pytest.mark.parametrize("shape", [(48,), (4, 16)], ids=str)
def test_modules_take_the_place_of_torchs(hopper_device, name, shape):
    theirs = getattr(torch.nn, name)(shape, eps=EPS)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.copy_(torch.randn(parameter.shape))
    module = getattr(hocket.torch, name)(shape, eps=EPS)
    module.load_state_dict(theirs.state_dict())
    x = randn(hopper_device, 3, *shape)
    theirs, module = theirs.to(x.device), module.to(x.device)
    torch.testing.assert_close(module(x), theirs(x), atol=1e-5, rtol=1e-5)
    y, total = module(x, x)
    torch.testing.assert_close(y, theirs(2 * x), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(total, 2 * x)


@each_kind
def test_compiles_in_one_graph(hopper_device, is_centered):
    x, weight, bias = (randn(hopper_device, *shape, requires_grad=True) for shape in ((6, 40), (40,), (40,)))

    @torch.compile(fullgraph=True, backend="inductor" if hopper_device.is_gpu else "aot_eager")
    def model(x, weight, bias):
        return ours(x * 2, weight, bias, is_centered) + 1

    result, expected = model(x, weight, bias), reference(x * 2, weight, bias, is_centered) + 1
    torch.testing.assert_close(result, expected, atol=1e-5, rtol=1e-5)
    for gradient, other in zip(
        torch.autograd.grad(result.square().sum(), (x, weight)),
        torch.autograd.grad(expected.square().sum(), (x, weight)),
        strict=True,
    ):
        torch.testing.assert_close(gradient, other, atol=1e-3, rtol=1e-3)


def test_graphs_on_two_streams_at_once(hopper_device):
    """Each captured launch has cells of its own for its barrier of the grid."""
    if not hopper_device.is_gpu:
        pytest.skip("CUDA graphs need a GPU")
    from hocket.kernels import norms

    x, dy, weight = (randn(hopper_device, *shape, dtype=torch.bfloat16) for shape in ((4096, 1024),) * 2 + ((1024,),))
    _, rstd = norms.rms_norm(x, weight, EPS, return_statistics=True)
    expected = norms.rms_norm_backward(dy, x, weight, rstd)
    graphs = []
    for _ in range(2):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            results = norms.rms_norm_backward(dy, x, weight, rstd)
        graphs.append((graph, results))
    streams = [torch.cuda.Stream() for _ in graphs]
    for _ in range(20):
        for stream, (graph, _) in zip(streams, graphs, strict=True):
            with torch.cuda.stream(stream):
                graph.replay()
    torch.cuda.synchronize()
    for _, results in graphs:
        assert all(torch.equal(a, b) for a, b in zip(results, expected, strict=True))


@pytest.mark.parametrize("name", ["RMSNorm", "LayerNorm"])
def test_weights_that_are_differences_from_1(hopper_device, name):
    """Weights minus 1, as Gemma and Nemotron store them: a new module scales by 1, and both forms have equal
    gradients."""
    theirs = getattr(torch.nn, name)(48, eps=EPS)
    module = getattr(hocket.torch, name)(48, eps=EPS, weight_offset=1)
    assert (module.weight == 0).all()
    with torch.no_grad():
        module.weight.copy_(torch.randn(48) / 4)
        theirs.weight.copy_(1 + module.weight)
    x = randn(hopper_device, 3, 48)
    theirs, module = theirs.to(x.device), module.to(x.device)
    torch.testing.assert_close(module(x), theirs(x), atol=1e-5, rtol=1e-5)
    for normalize in (theirs, module):
        normalize(x).square().sum().backward()
    torch.testing.assert_close(module.weight.grad, theirs.weight.grad, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name", ["RMSNorm", "LayerNorm"])
def test_any_strides(hopper_device, name):
    """Arrays with strides that the kernels do not support are copied, because PyTorch's modules accept them."""
    module, theirs = (getattr(library, name)(16, eps=EPS) for library in (hocket.torch, torch.nn))
    x = randn(hopper_device, 16, 6, 4)
    module, theirs = module.to(x.device), theirs.to(x.device)
    for view in (x.transpose(0, 2), x.transpose(0, 2)[:, ::2], x[:, 0, 0].expand(3, 16), x[:, :, 0].T):
        inputs = [view.detach().requires_grad_() for _ in range(2)]
        results = module(inputs[0]), theirs(inputs[1])
        torch.testing.assert_close(*results, atol=1e-5, rtol=1e-5)
        gradients = [torch.autograd.grad(y.sum(), leaf)[0] for y, leaf in zip(results, inputs, strict=True)]
        torch.testing.assert_close(*gradients, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name", ["RMSNorm", "LayerNorm"])
def test_no_rows(hopper_device, name):
    module = getattr(hocket.torch, name)(16, eps=EPS)
    x = randn(hopper_device, 0, 16, requires_grad=True)
    module = module.to(x.device)
    y = module(x)
    assert y.shape == (0, 16)
    y.sum().backward()
    assert x.grad.shape == (0, 16) and (module.weight.grad == 0).all()


@pytest.mark.parametrize("name", ["RMSNorm", "LayerNorm"])
def test_tensors_without_data(name):
    module = getattr(hocket.torch, name)(16, device="meta")
    y, total = module(torch.empty(3, 16, device="meta"), torch.empty(3, 16, device="meta"))
    assert y.shape == total.shape == (3, 16) and y.device.type == "meta"


def test_results_have_the_type_of_x_under_autocast(hopper_device):
    module = hocket.torch.RMSNorm(32, eps=EPS)
    x = randn(hopper_device, 5, 32, dtype=torch.bfloat16)
    module = module.to(x.device)
    with torch.autocast(x.device.type, dtype=torch.bfloat16):
        assert module(x).dtype == torch.bfloat16
    expected = torch.nn.functional.rms_norm(x.float(), (32,), None, EPS)
    torch.testing.assert_close(module(x).float(), expected, atol=2e-2, rtol=2e-2)


def test_a_module_is_copied_and_pickled_with_its_offset():
    import copy

    module = hocket.torch.RMSNorm(8, weight_offset=1)
    assert copy.deepcopy(module).weight_offset == 1
    assert set(module.state_dict()) == {"weight"}
