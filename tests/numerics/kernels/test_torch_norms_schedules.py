"""hocket.torch's normalizations with forced variants, and under torch.compile with any number of rows."""

import pytest

torch = pytest.importorskip("torch")

from torch._dynamo.testing import CompileCounterWithBackend  # noqa: E402

import hocket.torch  # noqa: E402
from hocket.errors import LaunchError  # noqa: E402
from hocket.kernels import norms  # noqa: E402
from hocket.kernels.norms import launch  # noqa: E402
from hocket.launch_cache import LaunchCache  # noqa: E402

pytestmark = pytest.mark.slow

EPS = 1e-5
each_module = pytest.mark.parametrize("name", ["RMSNorm", "LayerNorm"])


def randn(device, *shape, requires_grad=False):
    generator = torch.Generator().manual_seed(sum(shape))
    values = torch.randn(*shape, generator=generator).to("cuda" if device.is_gpu else "cpu")
    return values.requires_grad_(requires_grad)


def modules(device, name, columns, **options):
    """A module of ours and PyTorch's, with the same random weights, on the device."""
    theirs = getattr(torch.nn, name)(columns, eps=EPS)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.copy_(torch.randn(parameter.shape))
    ours = getattr(hocket.torch, name)(columns, eps=EPS, **options)
    ours.load_state_dict(theirs.state_dict())
    return [module.to("cuda" if device.is_gpu else "cpu") for module in (ours, theirs)]


def check(module, theirs, x):
    """Values and gradients of a module against PyTorch's."""
    results = module(x), theirs(x)
    torch.testing.assert_close(*results, atol=1e-5, rtol=1e-5)
    gradients = [
        torch.autograd.grad(y.square().sum(), (x, weight))
        for y, weight in zip(results, (module.weight, theirs.weight), strict=True)
    ]
    for ours, expected, tolerance in zip(*gradients, (1e-4, 1e-3), strict=True):
        torch.testing.assert_close(ours, expected, atol=tolerance, rtol=tolerance)


@pytest.fixture
def variants(monkeypatch):
    """The variants of the launches, in order."""
    names = []

    class Kernel:
        def __init__(self, name, kernel):
            self.name, self.kernel = name, kernel

        def __getitem__(self, grid):
            names.append(self.name)
            return self.kernel[grid]

    for table in ("_FORWARD", "_BACKWARD"):
        kernels = {name: Kernel(name, kernel) for name, kernel in getattr(launch, table).items()}
        monkeypatch.setattr(launch, table, kernels)
    for name in ("forwards", "backwards"):
        monkeypatch.setattr(launch, name, LaunchCache(getattr(launch, name).prepare))
    return names


@each_module
@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("streaming", ["streaming", "streaming"]),
        ({"forward": "staged", "backward": "warp-specialized"}, ["staged", "warp-specialized"]),
    ],
    ids=str,
)
def test_the_variant_of_a_module(hopper_device, variants, name, schedule, expected):
    module, theirs = modules(hopper_device, name, 128, schedule=schedule)
    check(module, theirs, randn(hopper_device, 5, 128, requires_grad=True))
    assert variants == expected


def test_the_order_of_precedence(hopper_device, variants, set_norm_schedule):
    set_norm_schedule("staged")
    x = randn(hopper_device, 4, 128)
    plain, other = (hocket.torch.RMSNorm(128, schedule=schedule).to(x.device) for schedule in (None, "streaming"))
    with torch.no_grad():
        plain(x)
        with norms.force_schedule("multi-wave"):
            plain(x)
            other(x)
            other(x, schedule="staged")
    assert variants == ["staged", "multi-wave", "streaming", "staged"]


def test_functions_take_a_variant(hopper_device, variants):
    x, weight = randn(hopper_device, 4, 128, requires_grad=True), randn(hopper_device, 128)
    hocket.torch.rms_norm(x, weight, schedule={"backward": "streaming"}).sum().backward()
    hocket.torch.layer_norm(x, weight, schedule="streaming").sum().backward()
    assert variants[1:] == ["streaming"] * 3 and variants[0] != "streaming"


def test_backward_passes_in_a_block(hopper_device, variants):
    """On a GPU, autograd runs them in another thread."""
    x = randn(hopper_device, 4, 128, requires_grad=True)
    with norms.force_schedule("streaming"):
        hocket.torch.rms_norm(x).sum().backward()
    assert variants == ["streaming", "streaming"]


@pytest.mark.parametrize(("is_backward", "name"), [(False, "rms_norm"), (True, "rms_norm_backward")])
def test_a_module_explains_what_it_forces(hopper_device, set_norm_schedule, is_backward, name):
    x = randn(hopper_device, 2, 3, 128)
    module = hocket.torch.RMSNorm(128, schedule="streaming").to(x.device)
    plan = module.choose(x, is_backward=is_backward)
    assert plan.problem.operation == name and (plan.problem.rows, plan.problem.columns) == (6, 128)
    assert "\n- chosen by the module: the model predicts " in plan.explain()
    plain = hocket.torch.RMSNorm(128).to(x.device)
    assert "chosen by" not in plain.choose(x, is_backward=is_backward).explain()
    set_norm_schedule("multi-wave")
    assert "chosen by HOCKET_NORM_SCHEDULE" in plain.choose(x, is_backward=is_backward).explain()


@each_module
def test_modules_refuse_unknown_variants(name):
    with pytest.raises(LaunchError) as caught:
        getattr(hocket.torch, name)(128, schedule="persistent")
    assert str(caught.value) == (
        f"norms: schedule of {name} is one of multi-wave, warp-specialized, cluster, staged, streaming, not "
        "'persistent'"
    )


def test_modules_refuse_variants_that_do_not_fit(hopper_device):
    module = hocket.torch.RMSNorm(100, schedule={"forward": "staged"})
    x = randn(hopper_device, 3, 100)
    with pytest.raises(
        LaunchError, match=r"no staged plan for 3 x 100 float32 on .*\n.*take one of multi-wave, streaming"
    ):
        module.to(x.device)(x)


def test_a_module_is_copied_with_its_variant():
    import copy

    module = copy.deepcopy(hocket.torch.LayerNorm(8, schedule={"backward": "streaming"}))
    assert module.schedule == "backward=streaming"
    assert set(module.state_dict()) == {"weight", "bias"}


def compiled(device, module, **options):
    """The module in one graph, and a counter of its compilations.

    A symbolic float, such as `eps` with dynamic=True, makes PyTorch call the back end twice for one compilation.
    """
    torch._dynamo.reset()
    counter = CompileCounterWithBackend("inductor" if device.is_gpu else "aot_eager")
    return torch.compile(module, fullgraph=True, backend=counter, **options), counter


def check_compiled(function, module, theirs, x):
    class Compiled:
        weight = module.weight

        def __call__(self, x):
            return function(x)

    check(Compiled(), theirs, x)


@each_module
def test_dynamic_shapes_are_compiled_once(hopper_device, name):
    """The numbers of rows are symbols."""
    module, theirs = modules(hopper_device, name, 48)
    function, counter = compiled(hopper_device, module, dynamic=True)
    counts = []
    for rows in (7, 12, 3):
        check_compiled(function, module, theirs, randn(hopper_device, rows, 48, requires_grad=True))
        counts.append(counter.frame_count)
    assert counts[0] > 0 and len(set(counts)) == 1


@each_module
@pytest.mark.parametrize("has_residual", [False, True], ids=["", "residual"])
def test_rows_that_are_marked_dynamic(hopper_device, name, has_residual):
    """An error, by `mark_dynamic`, if the operators or their fakes made the number of rows a constant."""
    module, theirs = modules(hopper_device, name, 48)
    function, counter = compiled(hopper_device, module)
    for rows in (7, 12, 3):
        x, residual = (randn(hopper_device, rows + seed, 48)[:rows] for seed in (0, 1))
        for tensor in (x, residual):
            torch._dynamo.mark_dynamic(tensor, 0)
        if has_residual:
            y, total = function(x, residual)
            torch.testing.assert_close(total, x + residual)
            torch.testing.assert_close(y, theirs(x + residual), atol=1e-5, rtol=1e-5)
        else:
            torch.testing.assert_close(function(x), theirs(x), atol=1e-5, rtol=1e-5)
    assert counter.frame_count == 1


def test_dynamic_rows_of_several_normalized_dimensions(hopper_device):
    module = hocket.torch.LayerNorm((4, 16), eps=EPS)
    x = randn(hopper_device, 3, 4, 16)
    module = module.to(x.device)
    function, counter = compiled(hopper_device, module, dynamic=True)
    counts = []
    for rows in (3, 5):
        x = randn(hopper_device, rows, 4, 16)
        expected = torch.nn.functional.layer_norm(x, (4, 16), eps=EPS)
        torch.testing.assert_close(function(x), expected, atol=1e-5, rtol=1e-5)
        counts.append(counter.frame_count)
    assert counts[0] > 0 and len(set(counts)) == 1


def test_compiled_modules_keep_their_variant(hopper_device, variants):
    """In both passes; blocks are obeyed when the compiled code runs."""
    module, theirs = modules(hopper_device, "RMSNorm", 128, schedule={"forward": "streaming"})
    function, counter = compiled(hopper_device, module, dynamic=True)
    check_compiled(function, module, theirs, randn(hopper_device, 5, 128, requires_grad=True))
    assert variants[0] == "streaming" and variants[1] != "streaming"
    count = counter.frame_count
    with norms.force_schedule("streaming"):
        check_compiled(function, module, theirs, randn(hopper_device, 6, 128, requires_grad=True))
    assert variants[2:] == ["streaming", "streaming"] and counter.frame_count == count
