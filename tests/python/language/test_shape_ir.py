"""IR of views of tensors, and the inferred layouts."""

import pytest

from hocket import language as gl

L = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
L3 = gl.BlockedLayout([1, 1, 2], [2, 4, 4], [2, 2, 1], [2, 1, 0])


def test_expand_dims_takes_the_parent_of_the_slice(emit):
    def kernel(parent: gl.constexpr):
        x = gl.arange(0, 16, layout=gl.SliceLayout(1, parent))
        for_rows = x[:, None]
        gl.static_assert(for_rows.shape == (16, 1))
        gl.static_assert(for_rows.layout == parent)
        gl.static_assert(gl.expand_dims(x, 1).type == for_rows.type)
        gl.static_assert(x.expand_dims(-1).type == for_rows.type)

    assert emit(kernel, parent=L).count("hk.expand_dims") == 3


def test_several_dimensions_at_once(emit):
    def kernel(parent: gl.constexpr):
        x = gl.arange(0, 8, layout=gl.SliceLayout(0, gl.SliceLayout(2, parent)))
        y = x[None, :, None]
        gl.static_assert(y.shape == (1, 8, 1))
        gl.static_assert(y.layout == parent)

    # Axis 0 is inserted first, into the layout sliced along it last.
    emit(kernel, parent=L3)


def test_broadcast(emit):
    def kernel(parent: gl.constexpr):
        x = gl.arange(0, 16, layout=gl.SliceLayout(1, parent))[:, None]
        y = gl.arange(0, 32, layout=gl.SliceLayout(0, parent))[None, :]
        a, b = gl.broadcast(x, y)
        gl.static_assert(a.type == b.type)
        gl.static_assert(a.shape == (16, 32))
        gl.static_assert(x.broadcast_to(16, 8).shape == (16, 8))
        gl.static_assert(gl.broadcast_to(x, [16, 8]).shape == (16, 8))
        gl.static_assert((x < y).shape == (16, 32))

    emit(kernel, parent=L)


def test_permute_permutes_the_layout(emit):
    def kernel(layout: gl.constexpr):
        x = gl.zeros([16, 32], gl.float32, layout)
        y = x.T
        gl.static_assert(y.shape == (32, 16))
        gl.static_assert(y.layout == gl.BlockedLayout([4, 1], [4, 8], [1, 4], [0, 1]))
        gl.static_assert(x.trans().type == y.type)
        gl.static_assert(x.permute(1, 0).type == y.type)
        gl.static_assert(gl.permute(x, [1, 0]).type == y.type)
        gl.static_assert(y.T.type == x.type)

    assert emit(kernel, layout=L).count("hk.permute") == 5


def test_trans_exchanges_the_last_two(emit):
    def kernel(layout: gl.constexpr):
        x = gl.zeros([2, 8, 16], gl.float32, layout)
        gl.static_assert(x.trans().shape == (2, 16, 8))
        gl.static_assert(x.trans(2, 0, 1).shape == (16, 2, 8))
        gl.static_assert(x.T.shape == (16, 8, 2))

    emit(kernel, layout=L3)


@pytest.mark.parametrize("shape", [[512], [4, 128], [2, 8, 32], [16, 32]])
def test_reshape(emit, shape):
    def kernel(layout: gl.constexpr, shape: gl.constexpr):
        x = gl.zeros([16, 32], gl.float32, layout)
        y = gl.reshape(x, shape)
        gl.static_assert(list(y.shape) == shape)
        gl.static_assert(x.reshape(shape).type == y.type)
        gl.static_assert(x.view(shape).type == y.type)
        gl.static_assert(x.ravel().shape == (512,))
        gl.static_assert(y.reshape(16, 32).shape == (16, 32))

    emit(kernel, layout=L, shape=shape)


def test_a_scalar_transposed_is_the_scalar(emit):
    def kernel(n):
        gl.static_assert(n.T.type == gl.int32)

    emit(kernel, "i32")
