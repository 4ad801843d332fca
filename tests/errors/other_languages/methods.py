"""Methods and properties that tensors of NumPy and PyTorch have, on tensors and on pointers."""

from cases import mistake

import hocket.language as gl

LINE = gl.BlockedLayout([1], [32], [4], [0])


@mistake("*f32")
def numpy_astype(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.astype(gl.float16)


@mistake("*f32")
def mean_method(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.mean()


@mistake("*f32")
def numpy_size(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.size


@mistake("*f32")
def numpy_ndim(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.ndim


@mistake("*f32")
def torch_item(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.item()


@mistake("*f32")
def half_method(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.half()


@mistake("*f32")
def torch_contiguous(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.contiguous()


@mistake("*f32")
def torch_unsqueeze(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.unsqueeze(0)


@mistake("*f32")
def torch_transpose(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.transpose(0, 1)


@mistake("*f32")
def function_as_method(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.clamp(0.0, 1.0)


@mistake("*f32")
def torch_device(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.device


@mistake("*f32")
def torch_masked_fill_in_place(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.masked_fill_(v > 0, 0.0)


@mistake("*f32")
def property_called(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.numel()


@mistake("*f32")
def shape_of_a_pointer(x):
    result = x.shape[0]


@mistake("*f32")
def stride_of_a_pointer(x):
    result = x.stride(0)


@mistake("*f32")
def elements_of_a_pointer(x):
    result = x.numel


@mistake("*f32")
def size_of_a_pointer(x):
    result = x.size(0)


@mistake("*f32")
def address_of_a_pointer(x):
    result = x.data_ptr()


@mistake("*f32")
def sum_of_a_pointer(x):
    result = x.sum()


@mistake("*f32")
def pointer_converted(x):
    result = x.astype(gl.float16)
