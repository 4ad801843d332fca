"""`hocket.torch.op`: operators of PyTorch of functions that launch kernels."""

import gc
import weakref
from typing import Annotated, Optional

import pytest

torch = pytest.importorskip("torch")

import hocket  # noqa: E402
import hocket.torch  # noqa: E402
from hocket import language as gl  # noqa: E402
from hocket.torch import like  # noqa: E402

BLOCK = 128


@hocket.jit
def silu_kernel(x, out, n, factor, SIZE: gl.constexpr):
    i = gl.program_id(0) * SIZE + gl.arange(0, SIZE, layout=gl.row_layout())
    value = gl.load(x + i, mask=i < n, other=0.0).to(gl.float32)
    gl.store(out + i, factor * value / (1.0 + gl.exp(-value)), mask=i < n)


@hocket.jit
def store_sum(target, x, i, mask):
    place = target + i
    gl.store(place, gl.load(target + i, mask=mask) + gl.load(x + i, mask=mask), mask=mask)


@hocket.jit
def accumulate_kernel(outputs, x, n, SIZE: gl.constexpr):
    total, counter = outputs
    i = gl.program_id(0) * SIZE + gl.arange(0, SIZE, layout=gl.row_layout())
    store_sum(total, x, i, i < n)
    gl.atomic_add(counter, 1)


def grid(x):
    return (hocket.cdiv(x.numel(), BLOCK),)


@hocket.torch.op
def scaled_silu(x: torch.Tensor, factor: float = 1.0) -> Annotated[torch.Tensor, like("x")]:
    x = x.contiguous()
    out = torch.empty_like(x)
    silu_kernel[grid(x)](x, out, x.numel(), factor, SIZE=BLOCK)
    return out


@scaled_silu.backward
def _(gradient, x, factor):
    sigmoid = torch.sigmoid(x)
    return gradient * factor * sigmoid * (1 + x * (1 - sigmoid))


@hocket.torch.op
def accumulate(total: torch.Tensor, counter: torch.Tensor, x: torch.Tensor) -> None:
    accumulate_kernel[grid(x)]((total.view(-1), counter), x, x.numel(), SIZE=BLOCK)


@hocket.torch.op(name="tests::rows")
def rows(
    x: torch.Tensor,
    weight: Optional[torch.Tensor] = None,  # noqa: UP045  (a spelling that users may write)
) -> tuple[
    Annotated[torch.Tensor, like("x")],
    Annotated[torch.Tensor, like("x", shape=lambda x: x.shape[:1], dtype=torch.float64)],
]:
    out = torch.empty_like(x)
    silu_kernel[grid(x)](x, out, x.numel(), 1.0, SIZE=BLOCK)
    return out if weight is None else out * weight, x.double().sum(1)


def values(*shape, **settings):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), **settings)


class TestSchemas:
    def test_a_function_without_side_effects(self):
        assert scaled_silu.name.endswith("::scaled_silu")
        assert scaled_silu.schema.endswith("::scaled_silu(Tensor x, float factor=1.) -> Tensor")
        assert scaled_silu.mutates == ()

    def test_written_arguments_are_found_in_functions_of_kernels(self):
        assert accumulate.mutates == ("total", "counter")
        assert "(Tensor(a0!) total, Tensor(a1!) counter, Tensor x) -> ()" in accumulate.schema

    def test_several_results(self):
        assert rows.schema == "tests::rows(Tensor x, Tensor? weight=None) -> (Tensor, Tensor)"

    def test_methods_and_results_in_place(self):
        @hocket.torch.op(name="tests::in_place", fake=lambda a, b, c, d, e: torch.empty_like(a))
        def in_place(
            a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor, e: torch.Tensor
        ) -> torch.Tensor:
            a.view(-1).add_(1)
            b[0] = 0
            torch.add(a, a, out=c)
            d += e
            return a.clone()

        assert in_place.mutates == ("a", "b", "c", "d")

    def test_functions_that_write_and_functions_that_return_views(self):
        @hocket.torch.op(name="tests::functions")
        def functions(
            a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor, e: torch.Tensor, f: torch.Tensor
        ) -> None:
            torch.relu_(a)
            torch.nn.functional.silu(b, inplace=True)
            c[0], first = 1, 2
            flat = torch.reshape(d, (-1,))
            silu_kernel[(1,)](f, flat, 8, first, SIZE=BLOCK)
            other = e.to(torch.float32)
            silu_kernel[(1,)](f, other, 8, 1.0, SIZE=BLOCK)

        assert functions.mutates == ("a", "b", "c", "d", "e")

    def test_the_shape_of_an_argument_is_not_its_memory(self):
        @hocket.torch.op(name="tests::unchanged")
        def unchanged(x: torch.Tensor, y: torch.Tensor) -> Annotated[torch.Tensor, like("x")]:
            out = torch.empty(x.numel()).view(x.shape)
            silu_kernel[grid(x)](x, out, x.numel(), 1.0, SIZE=BLOCK)
            return out.add_(y)

        assert unchanged.mutates == ()

    def test_a_tuned_kernel(self):
        @hocket.autotune([hocket.Config({"SIZE": 64}), hocket.Config({"SIZE": 128})], key=["n"])
        @hocket.jit
        def fill(out, n, SIZE: gl.constexpr):
            i = gl.program_id(0) * SIZE + gl.arange(0, SIZE, layout=gl.row_layout())
            gl.store(out + i, 1.0, mask=i < n)

        @hocket.torch.op(name="tests::filled")
        def filled(x: torch.Tensor) -> None:
            fill[(1,)](x, x.numel())

        assert filled.mutates == ("x",)


class TestCalls:
    def test_eager(self):
        x = values(5, 77)
        torch.testing.assert_close(scaled_silu(x, 2.0), 2 * torch.nn.functional.silu(x))
        torch.testing.assert_close(scaled_silu(x.t()), torch.nn.functional.silu(x).t())

    def test_a_function_that_writes(self):
        total, counter, x = values(300), torch.zeros(1, dtype=torch.int32), values(300)
        expected = total + x
        version = total._version
        assert accumulate(total, counter, x) is None
        torch.testing.assert_close(total, expected)
        assert counter.item() == 3
        assert total._version > version

    def test_gradients(self):
        x = values(3, 50, requires_grad=True)
        (gradient,) = torch.autograd.grad(scaled_silu(x, 2.0).sum(), x)
        (expected,) = torch.autograd.grad(2 * torch.nn.functional.silu(x).sum(), x)
        torch.testing.assert_close(gradient, expected)

    def test_gradients_by_name_and_of_several_results(self):
        @hocket.torch.op(name="tests::weighted")
        def weighted(
            x: torch.Tensor, weight: torch.Tensor
        ) -> tuple[Annotated[torch.Tensor, like("x")], Annotated[torch.Tensor, like("x")]]:
            return x * weight, x + weight

        @weighted.backward
        def _(gradients, x):
            return {"weight": gradients[0] * x + gradients[1]}

        x, weight = values(4, requires_grad=True), values(4, requires_grad=True)
        first, second = weighted(x, weight)
        (first.sum() + 3 * second.sum()).backward()
        assert x.grad is None
        torch.testing.assert_close(weight.grad, x.detach() + 3)

    def test_gradients_with_arguments_by_keyword(self):
        @hocket.torch.op(name="tests::by_keyword")
        def by_keyword(x: torch.Tensor, *, factor: float = 2.0) -> Annotated[torch.Tensor, like("x")]:
            return x * factor

        @by_keyword.backward
        def _(gradient, factor):
            return gradient * factor

        x = values(4, requires_grad=True)
        (by_keyword(x) + by_keyword(x, factor=3.0)).sum().backward()
        torch.testing.assert_close(x.grad, torch.full((4,), 5.0))

    def test_results_that_a_gradient_uses_are_freed(self):
        @hocket.torch.op(name="tests::kept")
        def kept(
            x: torch.Tensor, others: list[torch.Tensor]
        ) -> tuple[Annotated[torch.Tensor, like("x")], Annotated[torch.Tensor, like("x")]]:
            return x.exp(), x * others[0]

        @kept.backward
        def _(gradients, result, others):
            return {"x": gradients[0] * result[0] + gradients[1] * others[0]}

        x, other = values(4, requires_grad=True), values(4)
        first, second = kept(x, [other])
        (first + second).sum().backward()
        torch.testing.assert_close(x.grad, x.detach().exp() + other)
        first, second = kept(x, [other])
        node = weakref.ref(first.grad_fn)
        del first, second
        gc.collect()
        assert node() is None

    def test_the_checks_of_pytorch(self):
        torch.library.opcheck(scaled_silu._custom, (values(4, 9, requires_grad=True), 0.5))
        torch.library.opcheck(rows._custom, (values(4, 9),))
        arguments = values(20), torch.zeros(1, dtype=torch.int32), values(20)
        torch.library.opcheck(accumulate._custom, arguments)

    def test_compile_and_export(self):
        def model(x):
            return scaled_silu(x + 1, 2.0) * 3 + rows(x)[1][:, None].float()

        x = values(6, 8)
        compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(x), model(x))

        class Module(torch.nn.Module):
            def forward(self, x):
                return model(x)

        exported = torch.export.export(Module(), (x,))
        assert [node.target for node in exported.graph.nodes if "silu" in str(node.target)]
        torch.testing.assert_close(exported.module()(x), model(x))

    def test_compile_of_a_function_that_writes(self):
        def model(total, counter, x):
            accumulate(total, counter, x)
            return total * 2

        x = values(300)
        expected = 2 * (values(300) + x)
        compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(values(300), torch.zeros(1, dtype=torch.int32), x), expected)


class TestMistakes:
    def test_a_result_without_a_shape(self):
        with pytest.raises(TypeError, match="the shape and dtype of a result are unknown"):

            @hocket.torch.op
            def f(x: torch.Tensor) -> torch.Tensor:
                return x.clone()

        with pytest.raises(TypeError, match="annotate the result, such as -> None"):

            @hocket.torch.op
            def g(x: torch.Tensor):
                return x.clone()

    def test_like_of_another_argument(self):
        with pytest.raises(TypeError, match=r"like\('y'\) does not name a tensor argument"):

            @hocket.torch.op
            def f(x: torch.Tensor) -> Annotated[torch.Tensor, like("y")]:
                return x.clone()

    def test_names(self):
        with pytest.raises(TypeError, match="the name of an operator is"):
            hocket.torch.op(name="f")(scaled_silu.__wrapped__)
        with pytest.raises(TypeError, match="mutates names y, which is not a parameter"):
            hocket.torch.op(name="tests::f", mutates=["y"])(scaled_silu.__wrapped__)
        with pytest.raises(TypeError, match="takes a function defined with `def`"):
            hocket.torch.op(silu_kernel)

    def test_a_write_that_the_source_does_not_show(self):
        def launched(kernel, *arguments):
            kernel[(1,)](*arguments, SIZE=BLOCK)

        @hocket.torch.op(name="tests::hidden")
        def hidden(x: torch.Tensor, out: torch.Tensor) -> None:
            launched(silu_kernel, x, out, x.numel(), 1.0)

        assert hidden.mutates == ()
        with pytest.raises(
            hocket.LaunchError, match="kernel silu_kernel writes `out`, which is the argument `out`"
        ) as e:
            hidden(values(8), values(8))
        assert str(e.value).endswith("hint: write @hocket.torch.op(mutates=('out',))")

        declared = hocket.torch.op(name="tests::shown", mutates=["out"])(hidden.__wrapped__)
        x, out = values(8), torch.zeros(8)
        declared(x, out)
        torch.testing.assert_close(out, torch.nn.functional.silu(x))

    def test_a_hidden_write_to_a_list(self):
        def launched(x):
            silu_kernel[(1,)](x, x, x.numel(), 1.0, SIZE=BLOCK)

        @hocket.torch.op(name="tests::hidden_list")
        def hidden_list(tensors: list[torch.Tensor]) -> None:
            for tensor in tensors:
                launched(tensor)

        assert hidden_list.mutates == ()
        with pytest.raises(hocket.LaunchError, match="writes `out`, which is the argument `tensors`"):
            hidden_list([values(8), values(8)])

    def test_gradients(self):
        with pytest.raises(TypeError, match="writes total, counter, and PyTorch has no gradients of such operators"):
            accumulate.backward(lambda gradient: gradient)
        with pytest.raises(TypeError, match="has the parameter y; it may have gradient, gradients, result, x, factor"):
            scaled_silu.backward(lambda gradient, y: gradient)

        @hocket.torch.op(name="tests::two")
        def two(x: torch.Tensor, y: torch.Tensor) -> Annotated[torch.Tensor, like("x")]:
            return x + y

        @two.backward
        def _(gradient):
            return gradient

        x, y = values(4, requires_grad=True), values(4)
        with pytest.raises(TypeError, match="returns 1 gradients for the arguments x, y"):
            two(x, y).sum().backward()
