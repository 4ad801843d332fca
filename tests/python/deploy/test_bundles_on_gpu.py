"""Bundles on a GPU: a C program without Python, and `hocket.load`, give the results of a launch from Python."""

import importlib.util
import pathlib
import subprocess

import pytest
from stand_ins.c_programs import program
from stand_ins.exported_kernels import add, double_tile

import hocket
from hocket import language as gl
from hocket.kernels import norms
from hocket.nvidia.hopper import TensorDescriptor

torch = pytest.importorskip("torch") if importlib.util.find_spec("torch") else None
pytestmark = pytest.mark.skipif(torch is None or hocket.devices.cuda() is None, reason="needs an NVIDIA GPU")

#: A program that reads arrays from files, launches a bundle, and writes the arrays back. The first argument is the
#: folder of the bundle, the others are the files.
MAIN = """\
#include "@NAME@.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define ARRAYS @COUNT@
#define CHECK(call) \\
  do { \\
    int result = (call); \\
    if (result) { \\
      printf("%s: %d %s\\n", #call, result, @NAME@_error()); \\
      return 1; \\
    } \\
  } while (0)

int main(int argc, char **argv) {
  int (*init)(unsigned), (*retain)(void **, int), (*make_current)(void *), (*allocate)(void **, size_t);
  int (*to_device)(void *, const void *, size_t), (*to_host)(void *, const void *, size_t), (*wait)(void);
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context, *device[ARRAYS], *host[ARRAYS];
  long bytes[ARRAYS];
  if (!driver || argc != ARRAYS + 2)
    return 3;
  *(void **)&init = dlsym(driver, "cuInit");
  *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
  *(void **)&make_current = dlsym(driver, "cuCtxSetCurrent");
  *(void **)&allocate = dlsym(driver, "cuMemAlloc_v2");
  *(void **)&to_device = dlsym(driver, "cuMemcpyHtoD_v2");
  *(void **)&to_host = dlsym(driver, "cuMemcpyDtoH_v2");
  *(void **)&wait = dlsym(driver, "cuCtxSynchronize");
  CHECK(init(0));
  CHECK(retain(&context, 0));
  CHECK(make_current(context));
  for (int i = 0; i < ARRAYS; ++i) {
    FILE *file = fopen(argv[i + 2], "rb");
    fseek(file, 0, SEEK_END);
    bytes[i] = ftell(file);
    rewind(file);
    host[i] = malloc(bytes[i]);
    if (fread(host[i], 1, bytes[i], file) != (size_t)bytes[i])
      return 4;
    fclose(file);
    CHECK(allocate(&device[i], bytes[i]));
    CHECK(to_device(device[i], host[i], bytes[i]));
  }
  @NAME@_kernel kernel;
  CHECK(@NAME@_load(&kernel, argv[1]));
  @LAUNCH@
  CHECK(wait());
  @NAME@_unload(&kernel);
  for (int i = 0; i < ARRAYS; ++i) {
    CHECK(to_host(host[i], device[i], bytes[i]));
    FILE *file = fopen(argv[i + 2], "wb");
    if (fwrite(host[i], 1, bytes[i], file) != (size_t)bytes[i])
      return 5;
    fclose(file);
  }
  return 0;
}
"""


def bytes_of(tensor):
    return tensor.contiguous().view(torch.uint8).cpu().numpy().tobytes()


def run_in_c(folder: pathlib.Path, name: str, tensors: list, launch: str) -> list:
    """Returns the tensors after the launch in a C program. `launch`: the call, in which `a[i]` is array `i`."""
    main = MAIN.replace("@NAME@", name).replace("@COUNT@", str(len(tensors)))
    call = launch
    for i in range(len(tensors)):
        call = call.replace(f"a[{i}]", f"device[{i}]")
    path = program(folder, name, main.replace("@LAUNCH@", f"CHECK({call});"))
    files = [folder.parent / f"{i}.bin" for i in range(len(tensors))]
    for file, tensor in zip(files, tensors, strict=True):
        file.write_bytes(bytes_of(tensor))
    done = subprocess.run([path, folder, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    results = []
    for file, tensor in zip(files, tensors, strict=True):
        raw = torch.frombuffer(bytearray(file.read_bytes()), dtype=torch.uint8)
        results.append(raw.view(tensor.dtype).reshape(tensor.shape).cuda())
    return results


def stand_in(tensor):
    """Returns a NumPy array with the shape and the dtype of a tensor."""
    return hocket.devices.torch_to_numpy(torch.empty_like(tensor, device="cpu"))


def run_in_both(tmp_path, function, name, inputs, outputs, **settings):
    """Exports a call of a function. Returns the outputs of the C program and of `hocket.load`."""
    target = hocket.devices.properties(inputs[0]).target
    hocket.export(function, tmp_path / name, *map(stand_in, inputs), target=target, name=name, **settings)
    bundle = hocket.load(tmp_path / name)
    names = ", ".join(f"a[{i}]" for i in range(len(inputs) + len(outputs)))
    zeros = [torch.zeros_like(output) for output in outputs]
    results = run_in_c(tmp_path / name, name, [*inputs, *zeros], f"{name}_launch(&kernel, NULL, {names})")
    bundle(*inputs, *outputs)
    torch.cuda.synchronize()
    return results[len(inputs) :], outputs


def test_vector_add(tmp_path):
    x, y = torch.randn(100_000, device="cuda"), torch.randn(100_000, device="cuda")
    target = hocket.devices.properties(x).target
    add.export(tmp_path / "add", *[gl.float32] * 3, 100_000, BLOCK=1024, target=target, grid="cdiv(n, BLOCK)")
    out = torch.zeros_like(x)
    *_, in_c = run_in_c(tmp_path / "add", "add", [x, y, out], "add_launch(&kernel, NULL, a[0], a[1], a[2], 100000)")
    hocket.load(tmp_path / "add")(x, y, out, 100_000)
    assert torch.equal(in_c, x + y)
    assert torch.equal(out, x + y)


def test_a_descriptor(tmp_path):
    source = torch.randn(100, 64, device="cuda", dtype=torch.float16)
    given = TensorDescriptor.from_tensor(stand_in(source)[:16].copy(), [16, 64], gl.NVMMASharedLayout(128, 16, 2))
    double_tile.export(tmp_path / "twice", given, gl.float16, 64, target="sm_90a", name="twice")
    out = torch.zeros_like(source)
    launch = "twice_launch(&kernel, NULL, 7, 1, 1, a[0], (int64_t[]){100, 64}, (int64_t[]){64}, a[1], 64)"
    _, in_c = run_in_c(tmp_path / "twice", "twice", [source, out], launch)
    hocket.load(tmp_path / "twice")[(7,)](source, out, 64)
    assert torch.equal(in_c, source * 2)
    assert torch.equal(out, source * 2)


@pytest.mark.parametrize("shape", [(512, 1024, 256), (4096, 4096, 4096), (16, 256, 8192)], ids=str)
def test_matmul(tmp_path, shape):
    m, n, k = shape
    a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(k, n, device="cuda", dtype=torch.bfloat16)
    expected = hocket.kernels.matmul(a, b)
    for results in run_in_both(tmp_path, hocket.kernels.matmul, "matmul", [a, b], [torch.empty_like(expected)]):
        assert torch.equal(results[0], expected)


def test_matmul_with_copies(tmp_path):
    a = torch.randn(256, 512, device="cuda").to(torch.float8_e4m3fn)
    b = torch.randn(512, 256, device="cuda").to(torch.float8_e4m3fn)
    expected = hocket.kernels.matmul(a, b)
    for results in run_in_both(tmp_path, hocket.kernels.matmul, "matmul", [a, b], [torch.empty_like(expected)]):
        assert torch.equal(results[0], expected)


@pytest.mark.parametrize("columns", [4096, 16384])
def test_rms_norm(tmp_path, columns):
    x = torch.randn(512, columns, device="cuda", dtype=torch.bfloat16)
    weight = torch.randn(columns, device="cuda", dtype=torch.bfloat16)
    expected = norms.rms_norm(x, weight)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for results in run_in_both(tmp_path, norms.rms_norm, "norm", [x, weight], list(map(torch.empty_like, expected))):
        for result, wanted in zip(results, expected, strict=True):
            assert torch.equal(result, wanted)


def test_gradients_of_a_norm(tmp_path):
    """A cooperative launch, with counters that are 0 before each launch."""
    x, dy = (torch.randn(1024, 2048, device="cuda") for _ in range(2))
    weight = torch.randn(2048, device="cuda")
    rstd = torch.rsqrt((x * x).mean(1) + 1e-6)
    expected = norms.rms_norm_backward(dy, x, weight, rstd)
    inputs, outputs = [dy, x, weight, rstd], list(map(torch.empty_like, expected))
    for results in run_in_both(tmp_path, norms.rms_norm_backward, "gradients", inputs, outputs):
        for result, wanted in zip(results, expected, strict=True):
            assert torch.equal(result, wanted)


def test_attention(tmp_path):
    q, k, v = (torch.randn(2, 8, 1024, 128, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    expected = hocket.kernels.attention(q, k, v)
    for results in run_in_both(tmp_path, hocket.kernels.attention, "attention", [q, k, v], [torch.empty_like(q)]):
        assert torch.equal(results[0], expected)


def test_graphs_and_streams(tmp_path):
    a, b = (torch.randn(512, 512, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    hocket.export(hocket.kernels.matmul, tmp_path / "matmul", stand_in(a), stand_in(b), target="sm_90a")
    bundle, out = hocket.load(tmp_path / "matmul"), torch.empty_like(a)
    bundle(a, b, out)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        bundle(a, b, out)
    a.normal_()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(out, hocket.kernels.matmul(a, b))
